// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Operators under two roofs: what reads allow at their intensity, and what arithmetic allows at
// all. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "probes/trace/run_facts.h"
#include "reports/model/investigation.h"
#include "runtime/telemetry/planned_launch.h"

namespace assay::attribution {

struct roof_height {
  double operations_per_s = 0.0;  ///< 0: not known
  model::roof_bound bound = model::roof_bound::none;
};

/// The lower of the two at `intensity` operations a byte; where they meet, reads. 0 stands for a
/// rate that nobody has: then there is no roof, as nobody knows which is the lower.
roof_height roof_at(double intensity, double read_bytes_per_s, double operations_per_s);

/// The intensity at which the two roofs meet; 0 where one is unknown.
double ridge_of(double read_bytes_per_s, double operations_per_s);

/// Prefills whose products one kind of arithmetic bounds, as planned.
struct planned_prefills {
  telemetry::arithmetic by = telemetry::arithmetic::f32_fma;
  std::uint64_t passes = 0;
  std::int64_t operations = 0;
  std::int64_t bytes = 0;       ///< read, at least
  std::int64_t busy_ns = 0;     ///< in which a kernel ran
  std::int64_t lengths_ns = 0;  ///< of the launches, one by one
};

/// Looks at launches, bandwidths and the cache of `report`.
model::roofline roofline_of(const model::investigation& report,
                            const std::vector<trace::arithmetic_ceiling>& ceilings,
                            const std::vector<planned_prefills>& prefills);

}  // namespace assay::attribution
