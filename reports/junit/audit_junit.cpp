// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/junit/audit_junit.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "reports/junit/xml.h"
#include "reports/wording/audit_words.h"

namespace assay::reports {
namespace {

using model::verdict;

enum class standing : std::uint8_t { passed, failure, error, skipped };

struct test_case {
  std::string class_name;
  std::string name;
  standing how = standing::passed;
  std::string message;  ///< one line
  std::string detail;
};

// "runtime.kv.append_bytes": class "runtime.kv", name "append_bytes".
test_case named(std::string_view counter) {
  const auto dot = counter.rfind('.');
  test_case made;
  made.class_name = dot == std::string_view::npos ? "counter" : counter.substr(0, dot);
  made.name = dot == std::string_view::npos ? counter : counter.substr(dot + 1);
  return made;
}

bool is_about_a_counter(const model::audit_report& report, const model::finding& found) {
  return std::any_of(report.counters.begin(), report.counters.end(),
                     [&](const model::counter_line& line) { return line.name == found.subject; });
}

std::string findings_of(const model::audit_report& report, std::string_view subject) {
  std::string text;
  for (const model::finding& found : report.findings)
    if (found.subject == subject)
      text += fmt::format("{} {} {}: {}\n", found.rule, found.rule_name, to_string(found.severity),
                          found.message);
  return text;
}

test_case of(const model::audit_report& report, const model::counter_line& line) {
  test_case made = named(line.name);
  made.detail = findings_of(report, line.name) +
                fmt::format("claimed {}; {}\n", claimed_words(line), evidence(line));
  made.message = line.reason.empty() ? std::string(to_string(line.verdict)) : line.reason;
  switch (line.verdict) {
    case verdict::agree:
      made.how = standing::passed;
      break;
    case verdict::disagree:
      made.how = standing::failure;
      break;
    case verdict::undecided:
      made.how = standing::error;
      break;
    case verdict::unmeasured:
      made.how = standing::skipped;
      break;
  }
  return made;
}

test_case of(const model::gate_line& gate) {
  const standing failed = gate.evaluated_samples > 0 ? standing::error : standing::skipped;
  return {"gate", gate.id + " " + gate.name, gate.holds ? standing::passed : failed, gate.detail,
          effort(gate) + "; " + gate.detail + "\n"};
}

// A finding about a counter stands at the counter; only what has no other place stands here.
test_case of(const model::audit_report& report, const model::rule_line& rule) {
  test_case made{"rule", rule.id + " " + rule.name, standing::passed, {}, effort(rule) + "\n"};
  for (const model::finding& found : report.findings) {
    if (found.rule != rule.id || is_about_a_counter(report, found)) continue;
    if (found.severity != model::severity::warning) made.how = standing::failure;
    if (made.message.empty()) made.message = found.message;
    made.detail += fmt::format("{}: {}\n", to_string(found.severity), found.message);
  }
  return made;
}

test_case of_trace(const model::audit_report& report) {
  const bool is_empty = report.counters.empty() || report.window_count == 0;
  const bool is_whole = report.is_complete && !is_empty;
  return {"trace", "is_whole_and_has_counters", is_whole ? standing::passed : standing::error,
          is_whole   ? ""
          : is_empty ? "the trace has nothing to judge"
                     : report.incompleteness,
          extent(report) + "\n"};
}

std::vector<test_case> cases_of(const model::audit_report& report) {
  std::vector<test_case> all{of_trace(report)};
  for (const auto& line : report.counters) all.push_back(of(report, line));
  for (const auto& gate : report.gates) all.push_back(of(gate));
  for (const auto& rule : report.rules) all.push_back(of(report, rule));
  return all;
}

std::string_view element_of(standing how) {
  return how == standing::failure ? "failure" : how == standing::error ? "error" : "skipped";
}

std::string as_xml(const test_case& each) {
  std::string text = fmt::format("    <testcase classname=\"{}\" name=\"{}\">\n",
                                 xml_escaped(each.class_name), xml_escaped(each.name));
  if (each.how != standing::passed)
    text += fmt::format("      <{} message=\"{}\"/>\n", element_of(each.how),
                        xml_escaped(each.message));
  text += fmt::format("      <system-out>{}</system-out>\n", xml_escaped(each.detail));
  return text + "    </testcase>\n";
}

std::size_t count(const std::vector<test_case>& all, standing how) {
  return static_cast<std::size_t>(
      std::count_if(all.begin(), all.end(), [how](const test_case& c) { return c.how == how; }));
}

std::string property(std::string_view name, std::string_view value) {
  return fmt::format("      <property name=\"{}\" value=\"{}\"/>\n", xml_escaped(name),
                     xml_escaped(value));
}

}  // namespace

std::string audit_as_junit(const model::audit_report& report, model::outcome outcome) {
  const std::vector<test_case> all = cases_of(report);
  const std::string counts =
      fmt::format("tests=\"{}\" failures=\"{}\" errors=\"{}\"", all.size(),
                  count(all, standing::failure), count(all, standing::error));
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  text += fmt::format("<testsuites name=\"assay audit\" {}>\n", counts);
  text += fmt::format("  <testsuite name=\"assay audit\" {} skipped=\"{}\">\n    <properties>\n",
                      counts, count(all, standing::skipped));
  text += property("outcome", to_string(outcome));
  text += property("exit_code", std::to_string(static_cast<int>(outcome)));
  for (const auto& fact : report.facts) text += property(fact.name, fact.value);
  text += "    </properties>\n";
  for (const test_case& each : all) text += as_xml(each);
  return text + "  </testsuite>\n</testsuites>\n";
}

}  // namespace assay::reports
