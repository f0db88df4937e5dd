// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/link/core_clock.h"

#include <cstdint>

#include "runtime/telemetry/clock.h"

namespace assay::probes {

result<double> core_cycles_per_s() {
#if defined(__x86_64__)
  constexpr int turns = 2'500;
  constexpr int additions_a_turn = 32;
  std::uint64_t chain = 0;
  std::uint64_t one = 1;
  const host_time start = host_now();
  for (int i = 0; i < turns; ++i)
    asm volatile(".rept 32\n\tadd %1, %0\n\t.endr" : "+r"(chain) : "r"(one));
  const host_time end = host_now();
  return double{turns} * additions_a_turn * 1e9 / static_cast<double>(end - start);
#else
  return ASSAY_FAIL(unavailable,
                    "core clock: measured on x86-64 only; the hard ceiling is unknown here");
#endif
}

}  // namespace assay::probes
