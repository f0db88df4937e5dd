// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/wording/trend_words.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "reports/wording/quantity_words.h"

namespace assay::reports {
namespace {

constexpr std::size_t commit_digits = 12;

std::string commit_words(const std::string& commit) {
  return commit.empty() ? "(no commit)" : commit.substr(0, commit_digits);
}

std::string share_words(const model::trend_change& change) {
  return change.before == 0.0
             ? std::string("from zero")
             : fmt::format("{:+.1f} %", 100.0 * (change.after / change.before - 1.0));
}

word_table changes_table(const model::trend_report& report) {
  word_table table{"changes", "Where values changed", {}, {}, {}, {}};
  table.columns = {{"of"},           {"value"}, {"before", true}, {"after", true},
                   {"change", true}, {"range"}, {"first seen"},   {"p", true}};
  table.absence = "Nowhere, as far as this history can show.";
  for (const model::trend_series& each : report.series)
    for (const model::trend_change& change : each.changes) {
      const double ratio = change.before == 0.0 ? 0.0 : change.after / change.before - 1.0;
      table.rows.push_back({{{each.verb},
                             {series_name(each)},
                             {trend_value_words(change.before, each.unit), change.before},
                             {trend_value_words(change.after, each.unit), change.after},
                             {share_words(change), ratio},
                             {range_words(each, change)},
                             {calendar_words(each.points[change.first].recorded_at_ns)},
                             {fmt::format("{:.2g}", change.p_value), change.p_value}},
                            word_tone::doubt});
    }
  return table;
}

word_table series_table(const model::trend_report& report) {
  word_table table{"series", "Every value of the history", {}, {}, {}, {}};
  table.columns = {{"of"},          {"value"},      {"results", true}, {"without it", true},
                   {"first", true}, {"last", true}, {"least", true},   {"most", true},
                   {"changes"}};
  table.absence = "The history holds no value.";
  for (const model::trend_series& each : report.series) {
    if (each.points.empty()) continue;
    const auto [least, most] =
        std::minmax_element(each.points.begin(), each.points.end(),
                            [](const auto& a, const auto& b) { return a.value < b.value; });
    const auto cell = [&](double value) {
      return word_cell{trend_value_words(value, each.unit), value};
    };
    table.rows.push_back(
        {{{each.verb},
          {series_name(each)},
          {with_separators(std::uint64_t{each.points.size()}),
           static_cast<double>(each.points.size())},
          {with_separators(each.absent_count), static_cast<double>(each.absent_count)},
          cell(each.points.front().value),
          cell(each.points.back().value),
          cell(least->value),
          cell(most->value),
          {!each.is_searched
               ? fmt::format("not looked for: fewer than {} values", report.least_points)
           : each.changes.empty() ? std::string("none found")
                                  : fmt::format("{}", each.changes.size())}},
         each.changes.empty() ? word_tone::plain : word_tone::doubt});
  }
  return table;
}

}  // namespace

std::string series_name(const model::trend_series& series) {
  const std::string name =
      series.metric.empty() ? series.name : fmt::format("{} ({})", series.name, series.metric);
  return series.subject.empty() ? name : fmt::format("{}, of {}", name, series.subject);
}

std::string trend_value_words(double value, const std::string& unit) {
  const bool is_whole = std::abs(value) < 9e15 && std::trunc(value) == value;
  return is_whole
             ? quantity_words({true, false, static_cast<std::int64_t>(value), 0.0, {}}, unit, "")
             : quantity_words({true, true, 0, value, {}}, unit, "");
}

std::string range_words(const model::trend_series& series, const model::trend_change& change) {
  const std::string& before = series.points[change.first - 1].commit;
  const std::string& after = series.points[change.first].commit;
  if (before == after && !after.empty()) return "within " + commit_words(after);
  return fmt::format("{}..{}", commit_words(before), commit_words(after));
}

std::string calendar_words(std::int64_t at_ns) {
  const std::chrono::system_clock::time_point at{
      std::chrono::duration_cast<std::chrono::system_clock::duration>(
          std::chrono::nanoseconds(at_ns))};
  return fmt::format("{:%Y-%m-%d %H:%M:%S} UTC",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(at)));
}

word_document trend_document(const model::trend_report& report) {
  std::size_t changes = 0;
  std::size_t searched = 0;
  for (const model::trend_series& each : report.series) {
    changes += each.changes.size();
    searched += each.is_searched ? 1 : 0;
  }
  const std::size_t too_short = report.series.size() - searched;
  word_document out;
  out.title = "History";
  out.headline.push_back(
      fmt::format("{} changes in {} series, 5 % for a false one among all; {} more have fewer than "
                  "{} values.",
                  changes, searched, too_short, report.least_points));
  out.headline.push_back(fmt::format("{} results are kept.", with_separators(report.results)));
  out.tables = {changes_table(report), series_table(report)};
  out.blind_spots.push_back(
      "Which commit of a range made a change: the history has results of its two ends alone");
  out.blind_spots.push_back(
      "Which of two commits is the older: results stand in the order in which they were added, so "
      "that "
      "of an old commit measured late the range may run backwards");
  out.blind_spots.push_back(
      "Whether the program or its machine changed: times on a machine that other work shares drift "
      "with that work; assay compare tells the two apart");
  if (too_short > 0)
    out.blind_spots.push_back(
        fmt::format("Whether {} series changed: each has fewer than {} values", too_short,
                    report.least_points));
  return out;
}

}  // namespace assay::reports
