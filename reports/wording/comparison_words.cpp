// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/wording/comparison_words.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "reports/model/comparison_outcome.h"
#include "reports/wording/quantity_words.h"

namespace assay::reports {
namespace {

using model::row_state;

constexpr std::array urgency{
    row_state::regressed, row_state::improved,       row_state::errored,      row_state::removed,
    row_state::added,     row_state::not_comparable, row_state::inconclusive, row_state::unchanged};

std::string four_digits(double value) {
  const double size = std::abs(value);
  if (size >= 1e15 || (size > 0 && size < 0.01)) return fmt::format("{:.3g}", value);
  if (size >= 999.95) return with_separators(static_cast<std::int64_t>(std::llround(value)));
  if (size >= 99.995) return fmt::format("{:.1f}", value);
  return fmt::format("{:.{}f}", value, size >= 9.9995 ? 2 : 3);
}

std::string time_words(double ns) {
  // Ten years: what is longer is no time that a benchmark took.
  if (std::abs(ns) >= 3e17) return fmt::format("{:.3g} s", ns * 1e-9);
  return std::abs(ns) < 1000.0 ? four_digits(ns) + " ns" : duration_words(std::llround(ns));
}

std::string plain_words(double value) {
  const bool is_whole = value == std::floor(value) && std::abs(value) < 9e15;
  return is_whole ? with_separators(static_cast<std::int64_t>(value)) : four_digits(value);
}

// Changes of a hundredth or more have one decimal; smaller ones keep what they have.
std::string percent(double ratio) {
  const double value = 100.0 * ratio;
  if (value != 0 && std::abs(value) < 0.05) return fmt::format("{:+.2g}", value);
  return std::abs(value) < 1e6 ? fmt::format("{:+.1f}", value) : fmt::format("{:+.2g}", value);
}

constexpr std::size_t most_margins = 4;
constexpr double red_ratio = 0.30;
constexpr double orange_ratio = 0.15;

double size_of(const model::comparison_row& row) {
  return row.change_ratio ? std::abs(std::log(std::max(1.0 + *row.change_ratio, 1e-300))) : 0.0;
}

// Rows a margin and where it comes from: what lies within it is no finding, so it is said first.
std::string margin_line(const model::comparison_report& report) {
  std::map<std::pair<std::string, double>, std::uint64_t> rows_of;
  for (const auto& row : report.rows)
    if (!row.margin_source.empty()) ++rows_of[{row.margin_source, row.margin_ratio}];
  std::string words;
  std::size_t listed = 0;
  for (const auto& [margin, count] : rows_of) {
    if (listed++ == most_margins) {
      words += fmt::format(", and {} more margins", rows_of.size() - most_margins);
      break;
    }
    words += fmt::format("{}{:.1f} % ({}) for {} row{}", words.empty() ? "margin: " : ", ",
                         100.0 * margin.second, margin.first, with_separators(count),
                         count == 1 ? "" : "s");
  }
  return words;
}

}  // namespace

std::string comparison_headline(const model::comparison_report& report) {
  std::string words = fmt::format("{} row{}", with_separators(std::uint64_t{report.rows.size()}),
                                  report.rows.size() == 1 ? "" : "s");
  char separator = ':';
  for (const row_state state : model::all_row_states) {
    const std::size_t count = count_of(report, state);
    const bool is_always_said = state <= row_state::inconclusive;
    if (count == 0 && !is_always_said) continue;
    words +=
        fmt::format("{} {} {}", separator, with_separators(std::uint64_t{count}), to_string(state));
    separator = ',';
  }
  return words;
}

std::vector<std::string> standing_of(const model::comparison_report& report) {
  std::vector<std::string> lines;
  if (!report.is_complete) lines.push_back("INCOMPLETE: " + report.incompleteness);
  if (report.is_contaminated) lines.push_back("CONTAMINATED: " + report.contamination);
  if (const std::size_t open = unconfirmed_count(report); open > 0)
    lines.push_back(
        fmt::format("UNDECIDED: {} row{} looked worse in the screen, and too few fresh pairs "
                    "followed to tell: give a longer --budget, or more --confirm-pairs",
                    with_separators(std::uint64_t{open}), open == 1 ? "" : "s"));
  if (!report.is_paired)
    lines.emplace_back(
        "advisory: the two sides were not measured in pairs, and what the machine did between them "
        "cannot be told from what the code did");
  if (std::string margins = margin_line(report); !margins.empty())
    lines.push_back(std::move(margins));
  return lines;
}

std::vector<const model::comparison_row*> most_urgent_first(
    const model::comparison_report& report) {
  std::vector<const model::comparison_row*> rows;
  rows.reserve(report.rows.size());
  for (const row_state wanted : urgency) {
    const auto start = static_cast<std::ptrdiff_t>(rows.size());
    for (const auto& row : report.rows)
      if (row.state == wanted) rows.push_back(&row);
    if (wanted == row_state::regressed || wanted == row_state::improved)
      std::stable_sort(rows.begin() + start, rows.end(),
                       [](const auto* a, const auto* b) { return size_of(*a) > size_of(*b); });
  }
  return rows;
}

bool has_several_metrics(const model::comparison_report& report) {
  return std::any_of(report.rows.begin(), report.rows.end(),
                     [&](const auto& row) { return row.metric != report.rows.front().metric; });
}

std::string row_name(const model::comparison_row& row, bool is_metric_wanted) {
  return row.metric.empty() || !is_metric_wanted ? row.name
                                                 : fmt::format("{} [{}]", row.name, row.metric);
}

std::string value_words(const model::quantity& value, std::string_view unit) {
  if (!is_printable(value)) return "-";
  const double number = value.is_real ? value.real : static_cast<double>(value.integer);
  if (unit == "ns") return time_words(number);
  if (unit == "bytes_per_s") return bandwidth_words(number);
  if (unit == "bytes") return plain_words(number) + " B";
  if (unit == "count" || unit.empty()) return plain_words(number);
  if (unit.ends_with("_per_s"))
    return fmt::format("{} {}/s", four_digits(number), unit.substr(0, unit.size() - 6));
  return fmt::format("{} {}", four_digits(number), unit);
}

std::string change_words(const model::comparison_row& row) {
  if (!row.change_ratio) return "-";
  if (*row.change_ratio >= 1.0) return fmt::format("x {}", four_digits(1.0 + *row.change_ratio));
  return percent(*row.change_ratio) + " %";
}

std::string interval_words(const model::comparison_row& row) {
  if (!row.interval) return "-";
  return fmt::format("{} … {} %", percent(row.interval->low_ratio),
                     percent(row.interval->high_ratio));
}

std::string visible_words(const model::comparison_row& row) {
  if (row.is_exact) return "exact";
  if (!row.visible_ratio) return "-";
  return fmt::format("{:.1f} %", 100.0 * *row.visible_ratio);
}

std::string note_of(const model::comparison_row& row) {
  std::string words = row.reason;
  const auto append = [&words](const std::string& more) {
    if (more.empty()) return;
    words += words.empty() ? "" : "; ";
    words += more;
  };
  if (row.state == row_state::inconclusive || row.state == row_state::not_comparable) {
    if (!is_printable(row.base)) append("base: " + absence_words(row.base));
    if (!is_printable(row.head)) append("head: " + absence_words(row.head));
  }
  if (!row.similar_to.empty())
    append(fmt::format("renamed? {} {}", row.state == row_state::added ? "was" : "is now",
                       row.similar_to));
  if (row.pairs > 0) append(fmt::format("{} pairs", row.pairs));
  if (row.is_advisory && row.base_processes + row.head_processes > 0)
    append(fmt::format("{} against {} processes", row.base_processes, row.head_processes));
  return words;
}

std::string control_words(const model::control_line& line) {
  std::string words = line.name;
  if (line.change_ratio) words += fmt::format(": {} %", percent(*line.change_ratio));
  if (line.interval)
    words += fmt::format(" ({} … {} %)", percent(line.interval->low_ratio),
                         percent(line.interval->high_ratio));
  words += fmt::format(", {} pairs, ", line.pairs);
  if (line.has_moved)
    words += "HAS MOVED";
  else
    words += line.unjudged.empty() ? "stands still" : "not judged: " + line.unjudged;
  return line.detail.empty() ? words : words + "; " + line.detail;
}

std::string_view flag_of(const model::comparison_row& row) {
  const bool is_confirmed = row.is_confirmed || row.is_exact;
  if (row.is_advisory || !is_confirmed) return "";
  if (row.state == row_state::improved) return "🟢 ";
  if (row.state != row_state::regressed) return "";
  const double change = row.change_ratio.value_or(0.0);
  const double harm = row.better == model::direction::higher_is_better ? -change : change;
  return harm >= red_ratio ? "🔴 " : harm >= orange_ratio ? "⚠️ " : "";
}

std::string interval_heading(const model::comparison_report& report) {
  for (const auto& row : report.rows)
    if (row.interval) return fmt::format("{:.0f} % interval", 100.0 * row.interval_level_ratio);
  return "interval";
}

}  // namespace assay::reports
