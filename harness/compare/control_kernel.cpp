// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/control_kernel.h"

#include <algorithm>
#include <limits>

#include "runtime/telemetry/clock.h"

namespace assay::compare {
namespace {

// A chain in which each step waits for the last: no compiler can shorten it, no core overlap it.
std::uint64_t slice(std::uint64_t x) {
  constexpr int steps = 6'000'000;
  for (int i = 0; i < steps; ++i) x = (x ^ (x >> 29U)) * 0xBF58476D1CE4E5B9ULL + 1;
  return x;
}

}  // namespace

std::int64_t control_kernel_ns(int slices) {
  std::int64_t least_ns = std::numeric_limits<std::int64_t>::max();
  volatile std::uint64_t sink = 1;
  for (int i = 0; i < slices; ++i) {
    const host_time start = host_now();
    sink = slice(sink);
    least_ns = std::min(least_ns, host_now() - start);
  }
  return least_ns;
}

}  // namespace assay::compare
