// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/audit/corpus_kill.h"

namespace assay::audit_test {

using model::verdict;

bool speaks(const model::audit_report& report, const corpus_case& of) {
  for (const model::gate_line& gate : report.gates)
    if (of.how == ending::undecided && gate.id == of.rule && !gate.holds) return true;
  for (const model::finding& found : report.findings) {
    if (of.how == ending::found && found.subject == of.subject && found.rule == of.rule)
      return true;
    if (of.how == ending::undecided && found.rule == of.rule) return true;
    if (of.how != ending::explained || found.subject != of.subject || found.rule != of.through)
      continue;
    for (const model::explanation& why : found.explanations)
      if (why.rule == of.rule) return true;
  }
  return false;
}

const model::counter_line* line_named(const model::audit_report& report, const std::string& name) {
  for (const model::counter_line& line : report.counters)
    if (line.name == name) return &line;
  return nullptr;
}

bool is_killed(const model::audit_report& report, const corpus_case& of) {
  const auto* line = line_named(report, of.subject);
  if (of.how == ending::clean) return report.findings.empty();
  if (!speaks(report, of)) return false;
  return of.how != ending::undecided || (line != nullptr && line->verdict == verdict::undecided);
}

}  // namespace assay::audit_test
