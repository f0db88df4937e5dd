// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What the sentinel's launch leaves in device memory.
#pragma once

#include <cstdint>
#include <limits>

namespace assay::probes {

/// A prime that no kernel of the runtime has as its grid.
inline constexpr std::uint32_t gpu_fingerprint_blocks = 7919;

/// The host sends it as it is here; each block of the launch adds to it.
/// Clock: the device's own, %globaltimer; its differences alone mean something.
struct alignas(64) gpu_fingerprint {
  std::uint64_t blocks_count = 0;                                    ///< that ended
  std::uint64_t launches_count = 0;                                  ///< whose last block ended
  std::int64_t first_ns = std::numeric_limits<std::int64_t>::max();  ///< earliest read of a block
  std::int64_t last_ns = 0;                                          ///< latest
  std::int64_t spun_ns = 0;  ///< by block 0, between two reads of its own

  /// Did exactly one whole launch write this, and spin for at least `spin_ns`?
  bool is_of_one_launch(std::int64_t spin_ns) const {
    return blocks_count == gpu_fingerprint_blocks && launches_count == 1 && spun_ns >= spin_ns &&
           last_ns > first_ns && last_ns - first_ns >= spun_ns;
  }
};

}  // namespace assay::probes
