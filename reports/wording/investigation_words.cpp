// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/wording/investigation_words.h"

#include <algorithm>

#include <fmt/format.h>

#include "reports/model/outcome.h"
#include "reports/wording/audit_words.h"
#include "reports/wording/condition_tables.h"
#include "reports/wording/course_tables.h"
#include "reports/wording/overhead_table.h"
#include "reports/wording/quantity_words.h"
#include "reports/wording/roofline_table.h"
#include "reports/wording/time_tables.h"

namespace assay::reports {
namespace {

constexpr std::size_t named_max = 6;  // subjects a rule; the rest are counted

// Each rule once: one may have more than one figure that fits.
std::string explained_words(const std::vector<model::explanation>& explanations) {
  std::vector<std::string> rules;
  std::string words;
  for (const model::explanation& why : explanations) {
    if (std::find(rules.begin(), rules.end(), why.rule) != rules.end()) continue;
    rules.push_back(why.rule);
    words += fmt::format(" (explained by {} {})", why.rule, why.rule_name);
  }
  return words;
}

// Every rule that found something, and on what.
std::string found_words(const model::audit_report& audit) {
  std::vector<std::string> rules;
  for (const model::finding& each : audit.findings)
    if (std::find(rules.begin(), rules.end(), each.rule) == rules.end()) rules.push_back(each.rule);
  std::string words = fmt::format("FOUND by the audit, {} finding{}", audit.findings.size(),
                                  audit.findings.size() == 1 ? "" : "s");
  for (const std::string& rule : rules) {
    std::size_t subjects = 0;
    for (const model::finding& each : audit.findings) {
      if (each.rule != rule || ++subjects > named_max) continue;
      words += subjects == 1 ? fmt::format("; {} {} on {}", rule, each.rule_name, each.subject)
                             : fmt::format(", {}", each.subject);
      words += explained_words(each.explanations);
    }
    if (subjects > named_max) words += fmt::format(" and {} more", subjects - named_max);
  }
  return words + ". Figures below that rest on these are not to be believed.";
}

std::string undecided_words(const model::audit_report& audit) {
  std::vector<std::string> reasons;
  for (const model::counter_line& each : audit.counters)
    if (each.verdict == model::verdict::undecided &&
        std::find(reasons.begin(), reasons.end(), each.reason) == reasons.end())
      reasons.push_back(each.reason);
  std::string words =
      fmt::format("UNDECIDED: {} of {} counters got no verdict",
                  count_of(audit, model::verdict::undecided), audit.counters.size());
  for (std::size_t at = 0; at < std::min<std::size_t>(reasons.size(), 4); ++at)
    words += (at == 0 ? ": " : "; ") + reasons[at];
  return words + ".";
}

std::string run_words(const model::audit_report& audit) {
  std::string words = "Run:";
  bool is_any = false;
  for (const auto& [name, label] :
       {std::pair{"scenario", "scenario "}, std::pair{"checkpoint", "checkpoint "},
        std::pair{"requests", "requests "}, std::pair{"device", "on "},
        std::pair{"processor", "with "}, std::pair{"build id", "build "}}) {
    const std::string value = value_of(audit.facts, name);
    if (value.empty()) continue;
    words += fmt::format("{} {}{}", is_any ? "," : "", label, value);
    is_any = true;
  }
  return is_any ? words + "." : "Run: the trace does not say what was run, or on what.";
}

std::string latency_words(const model::latency_line& line) {
  if (line.samples == 0) return fmt::format("{} unmeasured ({})", line.name, line.absence);
  return fmt::format("{} p50 {}, p90 {}, p99 {}, most {} (nearest rank, n = {})", line.name,
                     duration_words(line.p50_ns), duration_words(line.p90_ns),
                     duration_words(line.p99_ns), duration_words(line.most_ns),
                     with_separators(line.samples));
}

std::string speed_words(const model::investigation& report) {
  std::string words =
      "Speed: decode " + (report.tokens_per_s.is_present
                              ? quantity_words(report.tokens_per_s, "tokens_per_s", "rate")
                              : "unmeasured (" + absence_words(report.tokens_per_s) + ")");
  for (const model::latency_line& each : report.latencies) words += "; " + latency_words(each);
  return words + ".";
}

word_tone tone_of(model::verdict verdict) {
  switch (verdict) {
    case model::verdict::agree:
      return word_tone::good;
    case model::verdict::disagree:
      return word_tone::bad;
    case model::verdict::undecided:
      return word_tone::doubt;
    case model::verdict::unmeasured:
      return word_tone::calm;
  }
  return word_tone::plain;
}

std::optional<double> sorted_by(const model::quantity& value) {
  if (!is_printable(value)) return std::nullopt;
  return value.is_real ? value.real : static_cast<double>(value.integer);
}

word_table counters_table(const model::audit_report& audit) {
  word_table table{"counters", "Counters: claimed against observed", {}, {}, {}, {}};
  table.columns = {{"verdict"}, {"counter"}, {"claimed", true}, {"observed"}};
  table.absence = "The trace's contract has no counter.";
  for (const model::counter_line* line : worst_first(audit))
    table.rows.push_back({{{std::string(to_string(line->verdict))},
                           {line->name},
                           {claimed_words(*line), sorted_by(line->claimed)},
                           {evidence(*line)}},
                          tone_of(line->verdict)});
  return table;
}

word_table findings_table(const model::audit_report& audit) {
  word_table table{"findings", "Findings", {}, {}, {}, {}};
  table.columns = {{"rule"}, {"subject"}, {"what is wrong"}, {"most likely"}, {"where"}};
  table.absence = "None.";
  for (const model::finding& each : audit.findings) {
    const std::string seen = figures(audit, each);
    table.rows.push_back(
        {{{fmt::format("{} {}", each.rule, to_string(each.severity))},
          {each.subject},
          {seen.empty() ? each.message : each.message + "; " + seen},
          {each.likely_cause.empty() ? "-" : each.likely_cause},
          {whereabouts(each).empty() ? "-" : whereabouts(each)}},
         each.severity == model::severity::warning ? word_tone::doubt : word_tone::bad});
  }
  return table;
}

word_table conditions_table(const model::audit_report& audit) {
  word_table table{"conditions", "Conditions", {}, {}, {}, {}};
  table.columns = {{"what"}, {"as the run says"}};
  table.absence = "The trace states no fact of the run.";
  for (const model::fact& each : audit.facts) table.rows.push_back({{{each.name}, {each.value}}});
  for (const model::gate_line& each : audit.gates)
    table.rows.push_back({{{fmt::format("gate {} {}", each.id, each.name)},
                           {fmt::format("{}; {}{}{}", state_word(each), effort(each),
                                        each.detail.empty() ? "" : "; ", each.detail)}},
                          each.holds ? word_tone::plain : word_tone::bad});
  return table;
}

}  // namespace

bool is_headline_warning(const model::investigation& report) {
  return !report.audit.findings.empty() || model::outcome_of(report.audit) != model::outcome::clean;
}

std::vector<std::string> investigation_headline(const model::investigation& report) {
  const model::audit_report& audit = report.audit;
  std::vector<std::string> lines;
  if (!audit.findings.empty()) lines.push_back(found_words(audit));
  if (!audit.is_complete) lines.push_back(extent(audit) + ".");
  if (count_of(audit, model::verdict::undecided) > 0) lines.push_back(undecided_words(audit));
  lines.push_back(run_words(audit));
  lines.push_back(speed_words(report));
  lines.push_back(
      fmt::format("Audit: {}; {}.", to_string(model::outcome_of(audit)), headline(audit)));
  return lines;
}

std::vector<word_table> investigation_tables(const model::investigation& report) {
  std::vector<word_table> out;
  out.push_back(time_table(report));
  out.push_back(launches_table(report));
  out.push_back(roofline_table(report));
  out.push_back(slowest_table(report));
  out.push_back(bandwidth_table(report));
  out.push_back(threads_table(report));
  out.push_back(overheads_table(report));
  out.push_back(levels_table(report));
  out.push_back(flows_table(report));
  out.push_back(findings_table(report.audit));
  out.push_back(counters_table(report.audit));
  out.push_back(deviations_table(report));
  out.push_back(links_table(report));
  out.push_back(machine_table(report));
  out.push_back(conditions_table(report.audit));
  return out;
}

word_document investigation_document(const model::investigation& report) {
  return {"Investigation", investigation_headline(report), is_headline_warning(report),
          investigation_tables(report), report.blind_spots};
}

}  // namespace assay::reports
