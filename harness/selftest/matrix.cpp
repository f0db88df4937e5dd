// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/selftest/matrix.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "reports/model/outcome.h"

namespace assay::selftest {
namespace {

using model::verdict;

bool is_subject(const lie& planted, std::string_view name) {
  return std::any_of(
      planted.subjects.begin(), planted.subjects.end(),
      [&](telemetry::counter_id id) { return telemetry::contract_of(id).name.value == name; });
}

const model::counter_line& line_of(const model::audit_report& report, telemetry::counter_id id) {
  return report.counters.at(static_cast<std::size_t>(id));
}

// A rule that explains has spoken where its explanation is the finding's likely cause.
bool fired_on(const model::audit_report& report, std::string_view rule, std::string_view subject) {
  return std::any_of(report.findings.begin(), report.findings.end(), [&](const model::finding& f) {
    const bool is_explained = !f.explanations.empty() && f.explanations.front().rule == rule;
    return (f.rule == rule || is_explained) && f.subject == subject;
  });
}

bool fired_anywhere(const model::audit_report& report, std::string_view rule) {
  return std::any_of(report.findings.begin(), report.findings.end(), [&](const model::finding& f) {
    return f.rule == rule ||
           std::any_of(f.explanations.begin(), f.explanations.end(),
                       [&](const model::explanation& e) { return e.rule == rule; });
  });
}

// Counters that the lie is not about and whose verdict it changed all the same.
std::string bystanders_hit(const lie& planted, const model::audit_report& honest,
                           const model::audit_report& lying) {
  std::string hit;
  for (std::size_t i = 0; i < lying.counters.size() && i < honest.counters.size(); ++i) {
    const auto& now = lying.counters[i];
    if (is_subject(planted, now.name) || now.verdict == honest.counters[i].verdict) continue;
    if (planted.outcome == outcome::undecided && now.verdict == verdict::undecided) continue;
    hit += fmt::format("; {} became {}", now.name, to_string(now.verdict));
  }
  return hit;
}

std::string gross_fault(const lie& planted, const model::audit_report& lying) {
  if (planted.outcome == outcome::unclaimed || planted.outcome == outcome::reported)
    return fired_anywhere(lying, planted.rule) ? "" : fmt::format("{} did not fire", planted.rule);
  for (const telemetry::counter_id id : planted.subjects) {
    const model::counter_line& line = line_of(lying, id);
    if (planted.outcome == outcome::disagree) {
      if (line.verdict != verdict::disagree || !fired_on(lying, planted.rule, line.name))
        return fmt::format("{} is {}, {} did not fire", line.name, to_string(line.verdict),
                           planted.rule);
    } else if (line.verdict != verdict::undecided ||
               line.reason.find(planted.rule) == std::string::npos) {
      return fmt::format("{} is {} ({})", line.name, to_string(line.verdict), line.reason);
    }
  }
  return {};
}

std::string gross_words(const lie& planted, const model::audit_report& lying) {
  if (planted.outcome == outcome::unclaimed)
    return fmt::format("reported as unclaimed by {}", planted.rule);
  if (planted.outcome == outcome::reported) return fmt::format("reported by {}", planted.rule);
  if (!planted.through.empty())
    return fmt::format("killed by {}, explained by {}", planted.through, planted.rule);
  if (planted.outcome == outcome::disagree) return fmt::format("killed by {}", planted.rule);
  return fmt::format("undecided by {}, {} others still agree", planted.rule,
                     count_of(lying, verdict::agree));
}

std::string inside_fault(const lie& planted, const model::audit_report& honest,
                         const model::audit_report& lying) {
  if (planted.outcome != outcome::undecided)
    return fired_anywhere(lying, planted.rule) ? fmt::format("{} fired", planted.rule) : "";
  for (const telemetry::counter_id id : planted.subjects)
    if (line_of(lying, id).verdict != line_of(honest, id).verdict)
      return fmt::format("{} became {}", line_of(lying, id).name,
                         to_string(line_of(lying, id).verdict));
  return {};
}

std::string inside_words(const model::audit_report& lying) {
  if (lying.findings.empty()) return "silent";
  return fmt::format("silent; {} speaks", lying.findings.front().rule);
}

}  // namespace

lie_result judge(const lie& planted, strength how, const model::audit_report& honest,
                 const model::audit_report& lying) {
  lie_result result{std::string(planted.name),
                    std::string(planted.rule),
                    std::string(planted.tells),
                    how,
                    false,
                    {}};
  std::string fault =
      how == strength::gross ? gross_fault(planted, lying) : inside_fault(planted, honest, lying);
  if (how == strength::gross) fault += bystanders_hit(planted, honest, lying);
  result.is_passed = fault.empty();
  if (!result.is_passed)
    result.seen = fault;
  else
    result.seen = how == strength::gross ? gross_words(planted, lying) : inside_words(lying);
  return result;
}

std::string matrix_as_text(const std::vector<lie_result>& results) {
  std::string text = fmt::format("{:<21} {:<5} {:<12} {:<6} {}\n", "lie", "rule", "told", "",
                                 "what the audit said");
  std::size_t passed = 0;
  for (const lie_result& each : results) {
    passed += each.is_passed ? 1 : 0;
    text += fmt::format("{:<21} {:<5} {:<12} {:<6} {}\n", each.lie, each.rule,
                        each.how == strength::gross ? "gross" : "just inside",
                        each.is_passed ? "ok" : "FAILED", each.seen);
  }
  return text + fmt::format("{} of {} as they must be\n", passed, results.size());
}

}  // namespace assay::selftest
