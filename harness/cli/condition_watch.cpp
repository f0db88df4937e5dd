// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/condition_watch.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "probes/link/core_clock.h"

namespace assay::cli {
namespace {

// An interruption makes a read smaller, never larger: of a few the largest is the clock.
result<std::int64_t> timed_core_clock_hz() {
  constexpr int reads = 4;
  double most = 0.0;
  for (int i = 0; i < reads; ++i) {
    ASSAY_TRY_ASSIGN(const double now, probes::core_cycles_per_s());
    most = std::max(most, now);
  }
  if (!(most > 0.0) || most > 1e12)
    return ASSAY_FAIL(unavailable, "core clock: the host's clock stood while it was timed");
  return std::llround(most);
}

}  // namespace

condition_watch::condition_watch(run_backend& backend)
    : probe_(probes::condition_probe::of_host()) {
  probe_.add(ASSAY_CORE_CLOCK_TIMED, timed_core_clock_hz);
  backend.watch_conditions(probe_);
}

}  // namespace assay::cli
