// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/text/audit_text.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "reports/model/outcome.h"
#include "reports/text/columns.h"
#include "reports/text/paging_section.h"
#include "reports/wording/audit_words.h"
#include "reports/wording/quantity_words.h"

namespace assay::reports {
namespace {

// ANSI SGR codes; empty where plain text is wanted.
struct palette {
  std::string_view bold, red, yellow, green, dim, off;
};

constexpr palette plain{};
constexpr palette ansi{"\x1b[1m", "\x1b[31m", "\x1b[33m", "\x1b[32m", "\x1b[2m", "\x1b[0m"};

std::string_view colour_of(const palette& colours, model::verdict verdict) {
  switch (verdict) {
    case model::verdict::agree:
      return colours.green;
    case model::verdict::disagree:
      return colours.red;
    case model::verdict::undecided:
      return colours.yellow;
    case model::verdict::unmeasured:
      return colours.dim;
  }
  return {};
}

std::string_view colour_of(const palette& colours, model::severity severity) {
  return severity == model::severity::warning ? colours.yellow : colours.red;
}

class page {
 public:
  page(const model::audit_report& report, const palette& colours)
      : report_(report), colours_(colours) {}

  std::string render() {
    line(paint(colours_.bold, headline(report_)));
    line(paint(report_.is_complete ? std::string_view() : colours_.red, extent(report_)));
    counters();
    paging();
    findings();
    rules();
    gates();
    unclaimed();
    ceilings();
    facts();
    return std::move(out_);
  }

 private:
  std::string paint(std::string_view colour, std::string_view text) const {
    const std::string safe = one_line(text);
    return colour.empty() ? safe : fmt::format("{}{}{}", colour, safe, colours_.off);
  }

  void line(std::string text) {
    while (!text.empty() && text.back() == ' ') text.pop_back();
    out_ += text;
    out_ += '\n';
  }

  void section(std::string_view title) {
    line("");
    line(paint(colours_.bold, title));
  }

  void counters() {
    const auto lines = worst_first(report_);
    std::size_t name_width = columns("counter");
    std::size_t claimed_width = columns("claimed");
    for (const auto* each : lines) {
      name_width = std::max(name_width, columns(one_line(each->name)));
      claimed_width = std::max(claimed_width, columns(claimed_words(*each)));
    }
    const auto row = [&](std::string verdict, const std::string& name, const std::string& claimed,
                         const std::string& observed) {
      line(fmt::format("{}  {}  {}  {}", verdict, pad_right(one_line(name), name_width),
                       pad_left(one_line(claimed), claimed_width), one_line(observed)));
    };
    section("counters");
    row(pad_right("verdict", verdict_width), "counter", "claimed", "observed");
    for (const auto* each : lines) {
      const std::string word = pad_right(std::string(to_string(each->verdict)), verdict_width);
      row(paint(colour_of(colours_, each->verdict), word), each->name, claimed_words(*each),
          evidence(*each));
    }
  }

  void paging() {
    const std::vector<std::string> lines = paging_lines(report_);
    if (lines.empty()) return;
    section("weights under a limit");
    for (const std::string& each : lines) line(each);
  }

  void findings() {
    section("findings");
    if (report_.findings.empty()) line("  none");
    for (const auto& finding : report_.findings) {
      line(fmt::format("  {} {}: {}",
                       paint(colour_of(colours_, finding.severity),
                             fmt::format("{} {}", finding.rule, to_string(finding.severity))),
                       one_line(finding.subject), one_line(finding.message)));
      detail(figures(report_, finding));
      if (!finding.likely_cause.empty()) detail("most likely: " + finding.likely_cause);
      for (const std::string& other : other_explanations(finding)) detail(other);
      detail(whereabouts(finding));
    }
  }

  void detail(const std::string& text) {
    if (!text.empty()) line("      " + one_line(text));
  }

  void rules() {
    section("rules");
    if (report_.rules.empty()) line("  none ran");
    for (const auto& rule : report_.rules) {
      const bool is_idle = rule.evaluated_samples == 0 && !rule.is_explainer;
      const std::string_view colour = is_idle          ? colours_.yellow
                                      : rule.fired > 0 ? colours_.red
                                                       : std::string_view();
      line(fmt::format("  {} {} {}", one_line(rule.id),
                       pad_right(one_line(rule.name), widest(report_.rules)),
                       paint(colour, effort(rule))));
    }
  }

  void gates() {
    section("gates on the ground truth");
    if (report_.gates.empty()) line("  none ran");
    for (const auto& gate : report_.gates) {
      const std::string word = pad_right(std::string(state_word(gate)), 5);
      const std::string state = gate.holds ? word : paint(colours_.red, word);
      line(fmt::format("  {} {} {}  {}{}{}", one_line(gate.id),
                       pad_right(one_line(gate.name), widest(report_.gates)), state, effort(gate),
                       gate.detail.empty() ? "" : "; ", one_line(gate.detail)));
    }
  }

  void unclaimed() {
    section("activity that no counter claims");
    if (report_.unclaimed.empty()) line("  none");
    for (const auto& each : report_.unclaimed)
      line(fmt::format("  {}: {} records, {} B, {} on the device", one_line(each.activity),
                       with_separators(each.records), with_separators(each.bytes),
                       duration_words(each.device_ns)));
  }

  void ceilings() {
    section("ceilings");
    if (report_.ceilings.empty()) line("  none measured");
    for (const auto& each : report_.ceilings)
      line(fmt::format("  {}: {}", one_line(each.link), one_line(ceiling_words(each))));
  }

  void facts() {
    if (report_.facts.empty()) return;
    section("run");
    for (const auto& each : report_.facts)
      line(fmt::format("  {}: {}", one_line(each.name), one_line(each.value)));
  }

  template <class Rows>
  static std::size_t widest(const Rows& rows) {
    std::size_t width = 0;
    for (const auto& row : rows) width = std::max(width, columns(one_line(row.name)));
    return width;
  }

  static constexpr std::size_t verdict_width = 10;  // "unmeasured"

  const model::audit_report& report_;
  const palette& colours_;
  std::string out_;
};

}  // namespace

std::string audit_as_text(const model::audit_report& report, const text_options& options) {
  return page(report, options.is_coloured ? ansi : plain).render();
}

}  // namespace assay::reports
