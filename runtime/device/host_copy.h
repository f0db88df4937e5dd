// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The copy loop of the host device.
#pragma once

#include <cstddef>
#include <cstdint>

namespace assay::device {

/// Half of a core's L2 on the smallest machines that CI offers (512 KiB): a chunk's source stays in
/// cache while it is written. Large enough that the loop costs nothing against the move.
inline constexpr std::uint64_t copy_chunk_bytes = 256 * 1024;

/// Moves `bytes` bytes and returns how many it moved, counted chunk by chunk after each move.
/// The two must not overlap.
std::uint64_t copy_in_chunks(std::byte* destination, const std::byte* source,
                             std::uint64_t bytes) noexcept;

}  // namespace assay::device
