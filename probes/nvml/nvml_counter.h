// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// A cumulative count that may start anew. Pure.
#pragma once

#include <cstdint>

#include "runtime/telemetry/result.h"

namespace assay::probes {

/// As the driver keeps it.
struct nvml_counter {
  std::uint64_t value = 0;
  /// After its largest value comes 0 again: 2^32 for a count of 32 bits; 0 for 64 bits, which
  /// nobody fills.
  std::uint64_t modulus = 0;
};

/// What a count gained.
struct nvml_gain {
  std::uint64_t amount = 0;
  /// The gain may be this much larger, any number of times: nobody saw how often the count went
  /// around. 0: it is exact.
  std::uint64_t ambiguity = 0;
};

/// From an earlier reading to a later one.
/// Errors: unavailable, where a count that does not wrap went back: the driver was loaded anew, or
/// the two are not of one counter; what it gained is then not known.
result<nvml_gain> gained(const nvml_counter& before, const nvml_counter& after);

}  // namespace assay::probes
