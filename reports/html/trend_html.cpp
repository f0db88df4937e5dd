// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/html/trend_html.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "reports/html/chart.h"
#include "reports/html/document_html.h"
#include "reports/wording/quantity_words.h"
#include "reports/wording/trend_words.h"

namespace assay::reports {
namespace {

constexpr std::size_t points_max = 400;
constexpr std::size_t plots_max = 60;

bool is_moving(const model::trend_series& series) {
  return std::any_of(series.points.begin(), series.points.end(),
                     [&](const auto& each) { return each.value != series.points.front().value; });
}

// All, or of equal stretches the least and the most, and each point that a change begins with.
std::vector<std::size_t> shown_points(const model::trend_series& series) {
  std::vector<std::size_t> shown;
  const std::size_t stretches = std::min(series.points.size(), points_max / 2);
  if (series.points.size() <= points_max) {
    for (std::size_t at = 0; at < series.points.size(); ++at) shown.push_back(at);
    return shown;
  }
  const auto begin = series.points.begin();
  for (std::size_t at = 0; at < stretches; ++at) {
    const auto [least, most] = std::minmax_element(
        begin + static_cast<std::ptrdiff_t>(series.points.size() * at / stretches),
        begin + static_cast<std::ptrdiff_t>(series.points.size() * (at + 1) / stretches),
        [](const auto& a, const auto& b) { return a.value < b.value; });
    shown.push_back(static_cast<std::size_t>(least - begin));
    shown.push_back(static_cast<std::size_t>(most - begin));
  }
  for (const model::trend_change& each : series.changes) shown.push_back(each.first);
  std::sort(shown.begin(), shown.end());
  shown.erase(std::unique(shown.begin(), shown.end()), shown.end());
  return shown;
}

chart_view view_of(const model::trend_series& series) {
  chart_view view{
      fmt::format("{}: {}", series.verb, series_name(series)), series.unit, {}, {}, false};
  chart_series line{series_name(series), {}};
  for (const std::size_t at : shown_points(series)) {
    view.places.push_back(static_cast<double>(at) + 1);
    line.values.push_back(series.points[at].value);
    view.place_names.push_back(series.points[at].commit.empty() ? "no commit"
                                                                : series.points[at].commit);
  }
  view.series.push_back(std::move(line));
  for (const model::trend_change& each : series.changes)
    view.marks.push_back(
        {static_cast<double>(each.first) + 1, "changed in " + range_words(series, each)});
  return view;
}

std::string trend_chart(const model::trend_report& report) {
  std::vector<const model::trend_series*> moving;
  for (const model::trend_series& each : report.series)
    if (is_moving(each)) moving.push_back(&each);
  std::stable_sort(moving.begin(), moving.end(), [](const auto* a, const auto* b) {
    return a->changes.size() > b->changes.size();
  });
  chart made{"trends", "Values over the results", "result", "count", {}, {}};
  for (std::size_t at = 0; at < std::min(moving.size(), plots_max); ++at)
    made.views.push_back(view_of(*moving[at]));
  if (made.views.empty()) return {};
  made.notes.push_back(
      "Results in the order in which they were recorded; a dashed line stands "
      "where a value changed.");
  const std::size_t left = report.series.size() - made.views.size();
  if (left > 0)
    made.notes.push_back(fmt::format(
        "{} more series never changed their value, or moved least; they stand in the table alone.",
        with_separators(std::uint64_t{left})));
  return html_chart(made);
}

}  // namespace

std::string trends_as_html(const model::trend_report& report) {
  return document_as_html(trend_document(report), {}, {{"changes", trend_chart(report)}});
}

}  // namespace assay::reports
