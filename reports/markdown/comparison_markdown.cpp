// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/markdown/comparison_markdown.h"

#include <algorithm>
#include <span>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "reports/markdown/code_span.h"
#include "reports/markdown/escape.h"
#include "reports/model/comparison_outcome.h"
#include "reports/wording/comparison_words.h"
#include "reports/wording/coverage_words.h"
#include "reports/wording/quantity_words.h"
#include "reports/wording/utf8_text.h"

namespace assay::reports {
namespace {

using model::row_state;
using rows_view = std::span<const model::comparison_row* const>;

// Up to which size each part may fill the comment; the last leaves room for closing lines.
constexpr std::size_t found_limit_bytes = 36'000;
constexpr std::size_t missing_limit_bytes = 44'000;
constexpr std::size_t rest_limit_bytes = 52'000;
constexpr std::size_t coverage_limit_bytes = 55'500;
constexpr std::size_t tail_limit_bytes = 58'500;

// Nothing in it could come alive: no markup, mention, number of an issue or address.
bool is_tame(std::string_view text) {
  return text.find_first_of("@#/<&|`[]\\*_~\n") == std::string_view::npos &&
         text.find("www.") == std::string_view::npos;
}

// Escaping alone does not stop a forge from making a link of what looks like one.
std::string inert_prose(std::string_view text) {
  const std::string whole = mended_utf8(text.substr(0, 400));
  return is_tame(whole) ? markdown_escaped(whole) : code_span(whole, 300);
}

class comment {
 public:
  explicit comment(const model::comparison_report& report)
      : report_(report), is_metric_wanted_(has_several_metrics(report)) {}

  std::string render() {
    add(comparison_marker);
    add(fmt::format("**{}**\n", comparison_headline(report_)));
    for (const std::string& line : standing_of(report_)) add(inert_prose(line) + "\n");
    const auto ordered = most_urgent_first(report_);
    const auto is_missing = [](const auto* row) {
      return row->state != row_state::inconclusive && row->state != row_state::unchanged;
    };
    const auto is_found = [](const auto* row) {
      return row->state == row_state::regressed || row->state == row_state::improved;
    };
    const auto missing = std::find_if_not(ordered.begin(), ordered.end(), is_found);
    const auto rest = std::find_if_not(missing, ordered.end(), is_missing);
    part("Found", {ordered.begin(), missing}, found_limit_bytes);
    part("Missing, errored, not comparable", {missing, rest}, missing_limit_bytes);
    folded("Everything else", {rest, ordered.end()});
    if (report_.coverage) coverage(*report_.coverage);
    about_the_run();
    return std::move(out_);
  }

 private:
  void add(std::string_view line) { (out_ += line) += '\n'; }

  void part(std::string_view title, rows_view rows, std::size_t limit_bytes) {
    if (rows.empty()) return;
    add(fmt::format("\n### {} ({})\n", title, with_separators(std::uint64_t{rows.size()})));
    table(rows, limit_bytes);
  }

  void folded(std::string_view title, rows_view rows) {
    if (rows.empty()) return;
    add(fmt::format("\n<details><summary>{} ({})</summary>\n", title,
                    with_separators(std::uint64_t{rows.size()})));
    table(rows, rest_limit_bytes);
    add("\n</details>");
  }

  void table(rows_view rows, std::size_t limit_bytes) {
    add(fmt::format("| state | row | base | head | change | {} | sees | note |",
                    interval_heading(report_)));
    add("| --- | --- | ---: | ---: | ---: | ---: | ---: | --- |");
    std::size_t shown = 0;
    for (const auto* row : rows) {
      const std::string line = row_line(*row);
      if (out_.size() + line.size() > limit_bytes) break;
      add(line);
      ++shown;
    }
    if (shown < rows.size())
      add(fmt::format("\n… and {} more; the JSON has all of them.",
                      with_separators(std::uint64_t{rows.size() - shown})));
  }

  std::string row_line(const model::comparison_row& row) const {
    const std::string note = note_of(row);
    return fmt::format("| {}{} | {} | {} | {} | {} | {} | {} | {} |", flag_of(row),
                       to_string(row.state), code_span(row_name(row, is_metric_wanted_)),
                       cell(value_words(row.base, row.unit)), cell(value_words(row.head, row.unit)),
                       cell(change_words(row)), cell(interval_words(row)), cell(visible_words(row)),
                       note.empty() ? "" : inert_prose(note));
  }

  // A unit of a foreign file may hold anything. B/s is ours.
  static std::string cell(const std::string& text) {
    std::string rest = text;
    if (rest.ends_with("B/s")) rest.resize(rest.size() - 3);
    return is_tame(rest) ? text : code_span(text, 60);
  }

  void coverage(const model::coverage_table& table) {
    add(fmt::format("\n### Coverage ({})\n", table.flags.size()));
    std::string heading = "|";
    std::string rule = "|";
    for (const char* each : coverage_headings) {
      heading += fmt::format(" {} |", each);
      rule += " --- |";
    }
    add(heading);
    add(rule);
    for (const coverage_cells& cells : coverage_rows(table)) {
      std::string line = fmt::format("| {} |", code_span(cells.front()));
      for (std::size_t i = 1; i < cells.size(); ++i)
        line += fmt::format(" {} |", cells[i].empty() ? "" : inert_prose(cells[i]));
      if (out_.size() + line.size() < coverage_limit_bytes) add(line);
    }
    const auto losses = coverage_losses(table);
    if (losses.empty()) return;
    add(fmt::format("\n<details><summary>Files that lost coverage ({})</summary>\n",
                    losses.size()));
    for (const std::string& line : losses)
      if (out_.size() + line.size() < coverage_limit_bytes) add("- " + inert_prose(line));
    add("\n</details>");
  }

  void about_the_run() {
    add("\n<details><summary>About this run</summary>\n");
    for (const auto& line : report_.controls) bullet("control: " + control_words(line));
    for (const auto& line : report_.notes) bullet(line);
    for (const auto& line : report_.blind_spots) bullet("cannot have seen: " + line);
    for (const auto& fact : report_.facts) bullet(fmt::format("{}: {}", fact.name, fact.value));
    add("\n</details>");
  }

  void bullet(std::string_view text) {
    const std::string line = "- " + inert_prose(text);
    if (out_.size() + line.size() < tail_limit_bytes) add(line);
  }

  const model::comparison_report& report_;
  bool is_metric_wanted_;
  std::string out_;
};

}  // namespace

std::string comparison_as_markdown(const model::comparison_report& report) {
  return comment(report).render();
}

}  // namespace assay::reports
