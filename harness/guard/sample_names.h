// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Which names a metric publishes samples under.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "reports/model/exposition.h"

namespace assay::guard {

/// What a kind appends to a metric's name besides the name itself: a histogram _bucket, _sum,
/// _count and _created; a gauge nothing.
std::span<const std::string_view> suffixes_of(model::metric_kind kind);

/// Whether a metric of that kind publishes samples of that name: its own, or with what its kind
/// appends. A counter's _created stands beside the name without _total, and OpenMetrics declares it
/// so. A kind that is unknown may append anything.
bool is_published_by(std::string_view name, std::string_view metric, model::metric_kind kind);

/// Whether the metric is several numbers: buckets or quantiles, a sum, a count.
constexpr bool is_several(model::metric_kind kind) {
  return kind == model::metric_kind::histogram || kind == model::metric_kind::gauge_histogram ||
         kind == model::metric_kind::summary;
}

/// Whether what it counts may only grow.
constexpr bool is_cumulative(model::metric_kind kind) {
  return kind == model::metric_kind::counter || kind == model::metric_kind::histogram ||
         kind == model::metric_kind::summary;
}

}  // namespace assay::guard
