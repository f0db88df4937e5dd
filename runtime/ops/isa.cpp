// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/ops/isa.h"

#include <algorithm>
#include <atomic>

namespace assay::ops {
namespace {

// 0: nobody asked for less than the best.
std::atomic<std::uint8_t> limit{0};

isa look() noexcept {
#if defined(__x86_64__)
  __builtin_cpu_init();
  const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  const bool has_avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                          __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  if (has_avx2 && has_avx512) return isa::avx512;
  if (has_avx2) return isa::avx2;
#endif
  return isa::portable;
}

}  // namespace

std::string_view to_string(isa which) {
  switch (which) {
    case isa::portable:
      return "portable";
    case isa::avx2:
      return "avx2";
    case isa::avx512:
      return "avx512";
  }
  return "unknown";
}

isa best_isa() noexcept {
  static const isa best = look();
  return best;
}

isa limit_isa(isa most) noexcept {
  limit.store(static_cast<std::uint8_t>(most), std::memory_order_relaxed);
  return isa_in_force();
}

isa isa_in_force() noexcept {
  const std::uint8_t most = limit.load(std::memory_order_relaxed);
  return most == 0 ? best_isa() : std::min(best_isa(), static_cast<isa>(most));
}

}  // namespace assay::ops
