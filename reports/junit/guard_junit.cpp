// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/junit/guard_junit.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "reports/junit/xml.h"
#include "reports/wording/guard_words.h"

namespace assay::reports {
namespace {

bool is_failure(const model::guard_finding& found) {
  return found.severity != model::severity::warning;
}

std::string case_xml(std::string_view class_name, std::string_view name, std::string_view element,
                     std::string_view message, std::string_view detail) {
  std::string text = fmt::format("    <testcase classname=\"{}\" name=\"{}\">\n",
                                 xml_escaped(class_name), xml_escaped(name));
  if (!element.empty())
    text += fmt::format("      <{} message=\"{}\"/>\n", element, xml_escaped(message));
  text += fmt::format("      <system-out>{}</system-out>\n", xml_escaped(detail));
  return text + "    </testcase>\n";
}

std::string property(std::string_view name, std::string_view value) {
  return fmt::format("      <property name=\"{}\" value=\"{}\"/>\n", xml_escaped(name),
                     xml_escaped(value));
}

}  // namespace

std::string guard_as_junit(const model::guard_report& report, model::outcome outcome) {
  const auto failures = std::count_if(report.findings.begin(), report.findings.end(), is_failure);
  const auto skipped = std::count_if(report.checks.begin(), report.checks.end(),
                                     [](const auto& c) { return c.evaluated == 0; });
  const std::string counts = fmt::format("tests=\"{}\" failures=\"{}\" errors=\"0\"",
                                         report.checks.size() + report.findings.size(), failures);
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  text += fmt::format("<testsuites name=\"assay guard\" {}>\n", counts);
  text += fmt::format("  <testsuite name=\"assay guard\" {} skipped=\"{}\">\n    <properties>\n",
                      counts, skipped);
  text += property("outcome", to_string(outcome));
  text += property("exit_code", std::to_string(static_cast<int>(outcome)));
  for (const auto& fact : report.facts) text += property(fact.name, fact.value);
  text += "    </properties>\n";
  for (const auto& check : report.checks)
    text += case_xml("check", check.name, check.evaluated == 0 ? "skipped" : "", check.absence,
                     guard_effort(check));
  for (const auto& found : report.findings)
    text +=
        case_xml(found.check, found.subject, is_failure(found) ? "failure" : "", found.message,
                 fmt::format("{}: {}: {}", found.where, to_string(found.severity), found.message));
  return text + "  </testsuite>\n</testsuites>\n";
}

}  // namespace assay::reports
