// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/html/interval_plot.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "reports/html/escape.h"
#include "reports/wording/comparison_words.h"

namespace assay::reports {
namespace {

constexpr double width_px = 180.0;
constexpr double middle_px = width_px / 2;
constexpr double inset_px = 6.0;

double ln_of(double ratio) {
  return std::log(std::max(1.0 + ratio, 1e-300));
}

class picture {
 public:
  picture(const model::comparison_row& row, double reach_ln) : row_(row), reach_ln_(reach_ln) {}

  std::string draw() const {
    std::string out =
        fmt::format("<svg class=\"plot\" viewBox=\"0 0 180 18\" role=\"img\" aria-label=\"{}\">",
                    html_escaped(fmt::format("{}, {}", change_words(row_), interval_words(row_))));
    if (row_.margin_ratio > 0)
      out +=
          fmt::format("<rect class=\"band\" x=\"{:.1f}\" y=\"1\" width=\"{:.1f}\" height=\"16\"/>",
                      x(-std::log1p(row_.margin_ratio)),
                      x(std::log1p(row_.margin_ratio)) - x(-std::log1p(row_.margin_ratio)));
    out += "<line class=\"axis\" x1=\"90\" y1=\"0\" x2=\"90\" y2=\"18\"/>";
    if (row_.interval) {
      const double low = ln_of(row_.interval->low_ratio);
      const double high = ln_of(row_.interval->high_ratio);
      out += fmt::format("<line class=\"range\" x1=\"{:.1f}\" y1=\"9\" x2=\"{:.1f}\" y2=\"9\"/>",
                         x(low), x(high));
      if (low < -reach_ln_) out += "<path class=\"point\" d=\"M0 9L7 4V14Z\"/>";
      if (high > reach_ln_) out += "<path class=\"point\" d=\"M180 9L173 4V14Z\"/>";
    }
    if (row_.change_ratio)
      out += fmt::format("<circle class=\"point\" cx=\"{:.1f}\" cy=\"9\" r=\"3.5\"/>",
                         x(ln_of(*row_.change_ratio)));
    return out + "</svg>";
  }

 private:
  double x(double ln) const {
    const double at = std::clamp(ln / reach_ln_, -1.0, 1.0);
    return middle_px + at * (middle_px - inset_px);
  }

  const model::comparison_row& row_;
  double reach_ln_;
};

}  // namespace

double plot_reach_ln(const std::vector<model::comparison_row>& rows) {
  double reach = std::log1p(0.05);
  for (const model::comparison_row& row : rows) {
    reach = std::max(reach, std::log1p(row.margin_ratio));
    if (!row.interval) continue;
    reach = std::max({reach, std::abs(ln_of(row.interval->low_ratio)),
                      std::abs(ln_of(row.interval->high_ratio))});
  }
  return std::min(reach, std::log(2.0));
}

std::string interval_plot(const model::comparison_row& row, double reach_ln) {
  if (row.is_exact || (!row.interval && !row.change_ratio)) return {};
  return picture(row, reach_ln).draw();
}

}  // namespace assay::reports
