// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/text/comparison_text.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "reports/text/columns.h"
#include "reports/wording/audit_words.h"
#include "reports/wording/comparison_words.h"
#include "reports/wording/coverage_words.h"

namespace assay::reports {
namespace {

// A column that one long name may not widen for all.
constexpr std::size_t widest_name = 60;

std::string_view colour_of(model::row_state state) {
  switch (state) {
    case model::row_state::regressed:
    case model::row_state::errored:
      return "\x1b[31m";
    case model::row_state::improved:
      return "\x1b[32m";
    case model::row_state::unchanged:
      return "\x1b[2m";
    default:
      return "\x1b[33m";
  }
}

constexpr std::size_t column_count = 8;
using cells = std::array<std::string, column_count>;
// Numbers stand to the right.
constexpr std::array<bool, column_count> is_number{false, false, true, true,
                                                   true,  true,  true, false};

class page {
 public:
  page(const model::comparison_report& report, bool is_coloured)
      : report_(report), is_coloured_(is_coloured) {}

  std::string render() {
    line(comparison_headline(report_));
    for (const std::string& each : standing_of(report_)) line(one_line(each));
    if (!report_.rows.empty()) table();
    if (report_.coverage) coverage(*report_.coverage);
    section("controls", report_.controls.size(),
            [&](std::size_t i) { return control_words(report_.controls[i]); });
    section("notes", report_.notes.size(), [&](std::size_t i) { return report_.notes[i]; });
    section("what this run cannot have seen", report_.blind_spots.size(),
            [&](std::size_t i) { return report_.blind_spots[i]; });
    section("run", report_.facts.size(), [&](std::size_t i) {
      return fmt::format("{}: {}", report_.facts[i].name, report_.facts[i].value);
    });
    return std::move(out_);
  }

 private:
  void line(std::string text) {
    while (!text.empty() && text.back() == ' ') text.pop_back();
    out_ += text;
    out_ += '\n';
  }

  void table() {
    std::vector<cells> rows{
        {"state", "row", "base", "head", "change", interval_heading(report_), "sees", "note"}};
    const auto ordered = most_urgent_first(report_);
    const bool is_metric_wanted = has_several_metrics(report_);
    for (const auto* row : ordered)
      rows.push_back({std::string(to_string(row->state)),
                      one_line(row_name(*row, is_metric_wanted)), value_words(row->base, row->unit),
                      value_words(row->head, row->unit), change_words(*row), interval_words(*row),
                      visible_words(*row), one_line(note_of(*row))});
    std::array<std::size_t, column_count> widths{};
    for (const cells& row : rows)
      for (std::size_t at = 0; at < column_count; ++at)
        widths[at] = std::max(widths[at], std::min(columns(row[at]), widest_name));
    line("");
    for (std::size_t i = 0; i < rows.size(); ++i) {
      std::string text;
      for (std::size_t at = 0; at < column_count; ++at) {
        std::string cell = is_number[at] ? pad_left(one_line(rows[i][at]), widths[at])
                                         : pad_right(one_line(rows[i][at]), widths[at]);
        if (is_coloured_ && i > 0 && at == 0)
          cell = fmt::format("{}{}\x1b[0m", colour_of(ordered[i - 1]->state), cell);
        text += (at == 0 ? "" : "  ") + cell;
      }
      line(text);
    }
  }

  void coverage(const model::coverage_table& table) {
    const auto rows = coverage_rows(table);
    section("coverage", rows.size(), [&](std::size_t at) {
      std::string words;
      for (std::size_t i = 0; i < rows[at].size(); ++i)
        if (!rows[at][i].empty())
          words += (i == 0   ? ""
                    : i == 1 ? ": "
                             : "; ") +
                   (i == 0 ? rows[at][i] : fmt::format("{} {}", coverage_headings[i], rows[at][i]));
      return words;
    });
    const auto losses = coverage_losses(table);
    section("files that lost coverage", losses.size(), [&](std::size_t at) { return losses[at]; });
  }

  template <class Line>
  void section(std::string_view title, std::size_t count, Line&& line_at) {
    if (count == 0) return;
    line("");
    line(is_coloured_ ? fmt::format("\x1b[1m{}\x1b[0m", title) : std::string(title));
    for (std::size_t i = 0; i < count; ++i) line("  " + one_line(line_at(i)));
  }

  const model::comparison_report& report_;
  bool is_coloured_;
  std::string out_;
};

}  // namespace

std::string comparison_as_text(const model::comparison_report& report,
                               const text_options& options) {
  return page(report, options.is_coloured).render();
}

}  // namespace assay::reports
