// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/ingest/metric_unit.h"

#include <algorithm>
#include <array>

namespace assay::ingest {
namespace {

using model::direction;
constexpr auto lower = direction::lower_is_better;
constexpr auto higher = direction::higher_is_better;

constexpr std::array units{
    metric_unit{"ns", "ns", 1.0, lower},
    metric_unit{"us", "ns", 1e3, lower},
    metric_unit{"µs", "ns", 1e3, lower},
    metric_unit{"ms", "ns", 1e6, lower},
    metric_unit{"s", "ns", 1e9, lower},
    metric_unit{"sec", "ns", 1e9, lower},
    metric_unit{"ns/op", "ns", 1.0, lower},
    metric_unit{"us/op", "ns", 1e3, lower},
    metric_unit{"ms/op", "ns", 1e6, lower},
    metric_unit{"s/op", "ns", 1e9, lower},
    metric_unit{"min/op", "ns", 60e9, lower},
    metric_unit{"sec/op", "ns", 1e9, lower},
    metric_unit{"ops/ns", "ops_per_s", 1e9, higher},
    metric_unit{"ops/us", "ops_per_s", 1e6, higher},
    metric_unit{"ops/ms", "ops_per_s", 1e3, higher},
    metric_unit{"ops/s", "ops_per_s", 1.0, higher},
    metric_unit{"ops/min", "ops_per_s", 1.0 / 60, higher},
    metric_unit{"B/s", "bytes_per_s", 1.0, higher},
    metric_unit{"kB/s", "bytes_per_s", 1e3, higher},
    metric_unit{"KB/s", "bytes_per_s", 1e3, higher},
    metric_unit{"MB/s", "bytes_per_s", 1e6, higher},
    metric_unit{"GB/s", "bytes_per_s", 1e9, higher},
    metric_unit{"KiB/s", "bytes_per_s", 1024.0, higher},
    metric_unit{"MiB/s", "bytes_per_s", 1048576.0, higher},
    metric_unit{"GiB/s", "bytes_per_s", 1073741824.0, higher},
    metric_unit{"items/s", "items_per_s", 1.0, higher},
    metric_unit{"t/s", "tokens_per_s", 1.0, higher},
    metric_unit{"tokens/s", "tokens_per_s", 1.0, higher},
    metric_unit{"B", "bytes", 1.0, lower},
    metric_unit{"B/op", "bytes", 1.0, lower},
    metric_unit{"allocs/op", "count", 1.0, lower},
};

}  // namespace

std::optional<metric_unit> known_unit(std::string_view written) {
  const auto found = std::find_if(units.begin(), units.end(),
                                  [&](const metric_unit& u) { return u.written == written; });
  return found == units.end() ? std::nullopt : std::optional<metric_unit>(*found);
}

bool is_always_positive(std::string_view base_unit) {
  return base_unit == "ns" || base_unit.ends_with("_per_s");
}

}  // namespace assay::ingest
