// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What a decode step reads, and whether a cache may have served it. Pure.
#pragma once

#include <algorithm>
#include <cstdint>

#include "reports/model/investigation.h"

namespace assay::model {

struct step_read_set {
  std::int64_t bytes = 0;
  bool is_told = false;  ///< by the records; else weights by the plan
};

/// On average, over the steps.
inline step_read_set step_reads(const pass_total& decode) {
  constexpr std::int64_t most = std::int64_t{1} << 56;  // a sum over classes cannot wrap
  std::int64_t told = 0;
  std::int64_t planned = 0;
  for (const launch_line& each : decode.launches) {
    told += std::min(each.weight_bytes, most) + std::min(each.kv_bytes, most);
    planned += std::min(each.planned_weight_bytes, most);
  }
  const auto a_pass = [](std::uint64_t passes) {
    return static_cast<std::int64_t>(std::max<std::uint64_t>(passes, 1));
  };
  if (told > 0) return {told / a_pass(decode.passes), true};
  return {planned / a_pass(decode.named_passes), false};
}

inline read_tier tier_of(std::int64_t set_bytes, std::int64_t cache_bytes) {
  constexpr std::int64_t least_caches = 3;  // a set of so many is read from memory
  if (set_bytes <= 0 || cache_bytes <= 0) return read_tier::unknown;
  return set_bytes / least_caches >= cache_bytes ? read_tier::memory : read_tier::cache;
}

}  // namespace assay::model
