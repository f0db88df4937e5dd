// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/html/log_picture.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "reports/html/escape.h"
#include "reports/wording/quantity_words.h"

namespace assay::reports {
namespace {

constexpr double width_px = 800.0;
constexpr double height_px = 220.0;
constexpr std::size_t colours = 10;  // --s0 … --s9 of the style
constexpr double half_mark_px = 5.0;

bool is_drawn(double value) {
  return std::isfinite(value) && value > 0.0;
}

// From the least to the most, each decade as wide as the next.
class log_axis {
 public:
  void take(double value) {
    if (!is_drawn(value)) return;
    low_ = std::min(low_, std::log10(value));
    high_ = std::max(high_, std::log10(value));
  }
  /// From 0 to 1.
  double at(double value) const {
    return high_ > low_ ? (std::log10(value) - low_) / (high_ - low_) : 0.5;
  }

 private:
  double low_ = std::numeric_limits<double>::infinity();
  double high_ = -std::numeric_limits<double>::infinity();
};

std::string path_of(const chart_view& view, const chart_series& line, const log_axis& across,
                    const log_axis& up) {
  std::string out;
  for (std::size_t at = 0; at < view.places.size(); ++at) {
    if (!is_drawn(view.places[at]) || !is_drawn(line.values[at])) continue;
    const double x = across.at(view.places[at]) * width_px;
    const double y = (1.0 - up.at(line.values[at])) * height_px;
    if (line.is_points)
      out += fmt::format("M{:.1f} {:.1f}h{}M{:.1f} {:.1f}v{}", x - half_mark_px, y,
                         2 * half_mark_px, x, y - half_mark_px, 2 * half_mark_px);
    else
      out += fmt::format("{}{:.1f} {:.1f}", out.empty() ? "M" : "L", x, y);
  }
  return out;
}

// "gated_mlp at 0.999: 61.80 GFLOP/s"; of a line without names its ends.
std::string words_of(const chart_view& view, const chart_series& line) {
  std::string out;
  for (std::size_t at = 0; at < view.places.size(); ++at) {
    if (!is_drawn(line.values[at])) continue;
    const bool is_end = at == 0 || at + 1 == view.places.size();
    if (!line.is_points && !is_end) continue;
    const std::string name =
        line.is_points && !view.place_names.empty() ? view.place_names[at] : "";
    out += fmt::format("{}{}{}at {:.4g}: {}", out.empty() ? "" : "; ", name,
                       name.empty() ? "" : " ", view.places[at],
                       quantity_words({true, true, 0, line.values[at], {}}, view.unit, "count"));
  }
  return out;
}

}  // namespace

std::string log_picture(std::string_view title, const chart_view& view) {
  log_axis across;
  log_axis up;
  for (const double each : view.places) across.take(each);
  for (const chart_series& line : view.series)
    for (const double each : line.values) up.take(each);
  std::string paths;
  std::string label;
  std::string keys = "<ul class=\"keys\">\n";
  for (std::size_t at = 0; at < view.series.size(); ++at) {
    const chart_series& line = view.series[at];
    const std::string words = words_of(view, line);
    paths += fmt::format("<path class=\"c{}\" d=\"{}\"/>\n", at % colours,
                         path_of(view, line, across, up));
    keys += fmt::format("<li class=\"c{}\">{}: {}</li>\n", at % colours, html_escaped(line.name),
                        html_escaped(words));
    label += fmt::format("{}{} {}", label.empty() ? "" : "; ", line.name, words);
  }
  return fmt::format(
             "<svg class=\"picture\" viewBox=\"-6 -6 {} {}\" preserveAspectRatio=\"none\" "
             "role=\"img\" aria-label=\"{}\">\n",
             width_px + 12, height_px + 12,
             html_escaped(fmt::format("{}, {}: {}", title, view.name, label))) +
         paths + "</svg>\n" + keys + "</ul>\n";
}

}  // namespace assay::reports
