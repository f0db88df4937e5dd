// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// A launch that says itself how many blocks ran and for how long.
#pragma once

#include <cstdint>

#include "runtime/device/device.h"

namespace assay::probes {

/// A prime that no operator of the runtime uses as its number of blocks.
inline constexpr std::uint32_t fingerprint_blocks = 7919;

/// What the launch leaves in device memory; zero before it runs.
struct alignas(64) fingerprint_result {
  std::uint64_t begun_count = 0;
  std::uint64_t blocks_count = 0;   ///< that ended
  std::int64_t first_block_ns = 0;  ///< clock read by the block that began first
  std::int64_t last_block_ns = 0;   ///< clock read by the block that ended last; 0 if none did

  std::int64_t elapsed_ns() const { return last_block_ns - first_block_ns; }
};

/// Block 0 spins for `spin_ns`; each block counts itself in `at`, which lies in device memory.
/// Blocks may run in any order and at once.
device::kernel fingerprint(fingerprint_result* at, std::int64_t spin_ns);

}  // namespace assay::probes
