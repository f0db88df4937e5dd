// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/markdown/audit_markdown.h"

#include <initializer_list>
#include <string_view>

#include <fmt/format.h>

#include "reports/markdown/escape.h"
#include "reports/model/outcome.h"
#include "reports/wording/audit_words.h"
#include "reports/wording/quantity_words.h"

namespace assay::reports {
namespace {

class document {
 public:
  void heading(std::string_view text) { out_ += fmt::format("\n## {}\n\n", text); }
  void paragraph(std::string_view text) { out_ += fmt::format("{}\n", markdown_escaped(text)); }
  void bullet(std::string_view text, int depth = 0) {
    out_ += fmt::format("{:{}}- {}\n", "", depth * 2, markdown_escaped(text));
  }

  /// `alignment` has one character a column: l or r.
  void table_head(std::initializer_list<std::string_view> cells, std::string_view alignment) {
    table_row(cells);
    out_ += '|';
    for (const char side : alignment) out_ += side == 'r' ? " ---: |" : " --- |";
    out_ += '\n';
  }
  void table_row(std::initializer_list<std::string_view> cells) {
    out_ += '|';
    for (const std::string_view cell : cells) out_ += fmt::format(" {} |", markdown_escaped(cell));
    out_ += '\n';
  }

  std::string out_;
};

void counters(document& to, const model::audit_report& report) {
  to.heading("Counters");
  to.table_head({"verdict", "counter", "claimed", "observed"}, "llrl");
  for (const auto* line : worst_first(report))
    to.table_row({to_string(line->verdict), line->name, claimed_words(*line), evidence(*line)});
}

void findings(document& to, const model::audit_report& report) {
  to.heading("Findings");
  if (report.findings.empty()) to.paragraph("None.");
  for (const auto& finding : report.findings) {
    to.bullet(fmt::format("{} {}, {}: {}", finding.rule, to_string(finding.severity),
                          finding.subject, finding.message));
    if (const auto words = figures(report, finding); !words.empty()) to.bullet(words, 1);
    if (!finding.likely_cause.empty()) to.bullet("most likely: " + finding.likely_cause, 1);
    for (const std::string& other : other_explanations(finding)) to.bullet(other, 1);
    if (const auto words = whereabouts(finding); !words.empty()) to.bullet(words, 1);
  }
}

void rules_and_gates(document& to, const model::audit_report& report) {
  to.heading("Rules");
  to.table_head({"rule", "name", "effort"}, "lll");
  for (const auto& rule : report.rules) to.table_row({rule.id, rule.name, effort(rule)});
  to.heading("Gates on the ground truth");
  to.table_head({"gate", "name", "state", "effort", "detail"}, "lllll");
  for (const auto& gate : report.gates)
    to.table_row({gate.id, gate.name, std::string(state_word(gate)), effort(gate), gate.detail});
}

void unclaimed(document& to, const model::audit_report& report) {
  to.heading("Activity that no counter claims");
  if (report.unclaimed.empty()) {
    to.paragraph("None.");
    return;
  }
  to.table_head({"activity", "records", "bytes", "device time"}, "lrrr");
  for (const auto& each : report.unclaimed)
    to.table_row({each.activity, with_separators(each.records), with_separators(each.bytes),
                  duration_words(each.device_ns)});
}

void ceilings_and_facts(document& to, const model::audit_report& report) {
  to.heading("Ceilings");
  if (report.ceilings.empty()) to.paragraph("None measured.");
  for (const auto& each : report.ceilings)
    to.bullet(fmt::format("{}: {}", each.link, ceiling_words(each)));
  if (report.facts.empty()) return;
  to.heading("Run");
  for (const auto& each : report.facts) to.bullet(fmt::format("{}: {}", each.name, each.value));
}

}  // namespace

std::string audit_as_markdown(const model::audit_report& report) {
  document to;
  to.out_ = "# Counter audit\n\n";
  to.paragraph(headline(report) + ".");
  to.out_ += '\n';
  to.paragraph(extent(report) + ".");
  counters(to, report);
  findings(to, report);
  rules_and_gates(to, report);
  unclaimed(to, report);
  ceilings_and_facts(to, report);
  return to.out_;
}

}  // namespace assay::reports
