// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "reports/html/chart.h"
#include "reports/html/investigation_charts.h"
#include "reports/wording/roofline_table.h"

namespace assay::reports {
namespace {

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

// A place across: an operator, or where a roof bends.
struct place {
  double intensity = 0.0;
  std::string name;
  double achieved = nothing;
};

double number_of(const model::quantity& value) {
  return value.is_real ? value.real : static_cast<double>(value.integer);
}

bool is_above_0(const model::quantity& value) {
  return value.is_present && std::isfinite(number_of(value)) && number_of(value) > 0.0;
}

std::vector<place> operators_of(const model::roofline& roof) {
  std::vector<place> out;
  for (const model::roofline_point& each : roof.points)
    if (is_above_0(each.intensity()) && is_above_0(each.operations_per_s))
      out.push_back(
          {number_of(each.intensity()), point_words(each), number_of(each.operations_per_s)});
  return out;
}

// Places of the roofs: their ridges, and a little beyond all that is shown.
void add_bends(const model::roofline& roof, std::vector<place>& to) {
  for (const model::arithmetic_line& each : roof.arithmetic)
    if (is_above_0(each.ridge_intensity))
      to.push_back({number_of(each.ridge_intensity), "ridge, " + arithmetic_words(each.by)});
  const auto by_intensity = [](const place& a, const place& b) {
    return a.intensity < b.intensity;
  };
  std::stable_sort(to.begin(), to.end(), by_intensity);
  constexpr double beyond = 2.0;
  to.insert(to.begin(), {to.front().intensity / beyond, "left end"});
  to.push_back({to.back().intensity * beyond, "right end"});
}

double roof_at(const model::roofline& roof, const model::arithmetic_line& line, double intensity) {
  return std::min(roof.read_bytes_per_s * intensity, number_of(line.operations_per_s));
}

}  // namespace

std::string roofline_chart(const model::investigation& report) {
  std::vector<place> places = operators_of(report.roof);
  if (places.empty()) return {};
  add_bends(report.roof, places);
  chart_view view{"operators", "operations_per_s", {}, {}};
  view.is_log = true;
  chart_series achieved{"achieved", {}, true};
  for (const place& each : places) {
    view.places.push_back(each.intensity);
    view.place_names.push_back(each.name);
    achieved.values.push_back(each.achieved);
  }
  for (const model::arithmetic_line& line : report.roof.arithmetic) {
    if (!is_above_0(line.ridge_intensity)) continue;
    chart_series roof{"roof, " + arithmetic_words(line.by), {}};
    for (const place& each : places)
      roof.values.push_back(roof_at(report.roof, line, each.intensity));
    view.series.push_back(std::move(roof));
  }
  view.series.push_back(std::move(achieved));
  chart made{"roofline-plot", "Roofline", "FLOP/B", "", {}, {}};
  made.notes.push_back(
      "Both axes are logarithmic: across operations a byte that is read, up operations a second.");
  made.views.push_back(std::move(view));
  return html_chart(made);
}

}  // namespace assay::reports
