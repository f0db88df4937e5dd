// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/html/chart_picture.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "reports/html/escape.h"
#include "reports/wording/quantity_words.h"

namespace assay::reports {
namespace {

constexpr double width_px = 800.0;
constexpr double height_px = 220.0;
constexpr std::size_t columns = 400;
constexpr std::size_t colours = 10;  // --s0 … --s9 of the style

struct range {
  double least = 0.0;
  double most = 0.0;
  void take(double value) {
    least = std::min(least, value);
    most = std::max(most, value);
  }
};

std::string value_text(double value, std::string_view unit) {
  const bool is_whole = std::abs(value) < 9e15 && std::trunc(value) == value;
  return is_whole ? quantity_words({true, false, static_cast<std::int64_t>(value), 0.0, {}}, unit,
                                   "count")
                  : quantity_words({true, true, 0, value, {}}, unit, "count");
}

// Zero is always in sight: a curve whose foot is cut off makes a small change look like a large
// one.
range heights_of(const chart_view& view) {
  range out;
  for (const chart_series& line : view.series)
    for (const double each : line.values) out.take(each);
  if (out.least == out.most) out.most = out.least + 1.0;
  return out;
}

std::string path_of(const chart_view& view, const chart_series& line, const range& heights) {
  const std::size_t places = view.places.size();
  const std::size_t shown = std::min(places, columns);
  std::string out;
  for (std::size_t column = 0; column < shown; ++column) {
    const auto from = line.values.begin() + static_cast<std::ptrdiff_t>(places * column / shown);
    const auto to =
        line.values.begin() + static_cast<std::ptrdiff_t>(places * (column + 1) / shown);
    const auto [least, most] = std::minmax_element(from, to);
    const double x = shown == 1
                         ? width_px / 2
                         : static_cast<double>(column) * width_px / static_cast<double>(shown - 1);
    const auto y = [&](double value) {
      return height_px * (1.0 - (value - heights.least) / (heights.most - heights.least));
    };
    const bool is_falling = most < least;
    out +=
        fmt::format("{}{:.0f} {:.1f}", out.empty() ? "M" : "L", x, y(is_falling ? *most : *least));
    if (*least != *most) out += fmt::format("V{:.1f}", y(is_falling ? *least : *most));
  }
  return shown == 1 ? out + "h3" : out;
}

std::string words_of(const chart_view& view) {
  std::string out;
  for (const chart_series& line : view.series) {
    const auto [least, most] = std::minmax_element(line.values.begin(), line.values.end());
    out += fmt::format("{}{} from {} to {}", out.empty() ? "" : "; ", line.name,
                       value_text(*least, view.unit), value_text(*most, view.unit));
  }
  return out;
}

}  // namespace

std::string chart_picture(std::string_view title, const chart_view& view) {
  const range heights = heights_of(view);
  std::string out = fmt::format(
      "<svg class=\"picture\" viewBox=\"-2 -4 {} {}\" preserveAspectRatio=\"none\" role=\"img\" "
      "aria-label=\"{}\">\n",
      width_px + 4, height_px + 8,
      html_escaped(fmt::format("{}, {}: {}", title, view.name, words_of(view))));
  std::string keys = "<ul class=\"keys\">\n";
  for (std::size_t at = 0; at < view.series.size(); ++at) {
    out += fmt::format("<path class=\"c{}\" d=\"{}\"/>\n", at % colours,
                       path_of(view, view.series[at], heights));
    const auto [least, most] =
        std::minmax_element(view.series[at].values.begin(), view.series[at].values.end());
    keys += fmt::format(
        "<li class=\"c{}\">{}: {} … {}</li>\n", at % colours, html_escaped(view.series[at].name),
        html_escaped(value_text(*least, view.unit)), html_escaped(value_text(*most, view.unit)));
  }
  for (const chart_mark& each : view.marks) {
    const double first = view.places.front();
    const double across = std::max(view.places.back() - first, 1.0);
    out += fmt::format("<path class=\"mark\" d=\"M{:.0f} 0V{}\"><title>{}</title></path>\n",
                       (each.place - first) * width_px / across, height_px, html_escaped(each.why));
  }
  return out + "</svg>\n" + keys + "</ul>\n";
}

}  // namespace assay::reports
