// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/guard/sample_names.h"

#include <algorithm>
#include <array>

namespace assay::guard {
namespace {

using model::metric_kind;

constexpr std::array<std::string_view, 2> of_counter{"_total", "_created"};
constexpr std::array<std::string_view, 4> of_histogram{"_bucket", "_sum", "_count", "_created"};
constexpr std::array<std::string_view, 3> of_gauge_histogram{"_bucket", "_gsum", "_gcount"};
constexpr std::array<std::string_view, 3> of_summary{"_sum", "_count", "_created"};
constexpr std::array<std::string_view, 1> of_info{"_info"};
constexpr std::array<std::string_view, 8> of_any{"_total",   "_bucket", "_sum",    "_count",
                                                 "_created", "_info",   "_gcount", "_gsum"};

}  // namespace

std::span<const std::string_view> suffixes_of(metric_kind kind) {
  switch (kind) {
    case metric_kind::counter:
      return of_counter;
    case metric_kind::histogram:
      return of_histogram;
    case metric_kind::gauge_histogram:
      return of_gauge_histogram;
    case metric_kind::summary:
      return of_summary;
    case metric_kind::info:
      return of_info;
    case metric_kind::unknown:
      return of_any;
    case metric_kind::gauge:
      break;
  }
  return {};
}

bool is_published_by(std::string_view name, std::string_view metric, metric_kind kind) {
  if (name == metric) return true;
  constexpr std::string_view total = "_total";
  if (kind == metric_kind::counter && metric.ends_with(total)) {
    metric.remove_suffix(total.size());
    return name.starts_with(metric) && name.substr(metric.size()) == "_created";
  }
  if (!name.starts_with(metric)) return false;
  const std::string_view rest = name.substr(metric.size());
  const auto all = suffixes_of(kind);
  return std::find(all.begin(), all.end(), rest) != all.end();
}

}  // namespace assay::guard
