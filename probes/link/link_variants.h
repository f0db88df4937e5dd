// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Several ways to copy and to read memory: the fastest of them is the ceiling.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace assay::probes {

/// All sizes that a variant is given are multiples of this; addresses are aligned to a cache line.
inline constexpr std::size_t link_block_bytes = 512;

struct copy_variant {
  std::string_view name;
  void (*copy)(std::byte* to, const std::byte* from, std::size_t bytes);
};

/// Returns the sum of the 64-bit words, modulo 2^64: the same for any order of reading, and only
/// known to who read them all.
struct read_variant {
  std::string_view name;
  std::uint64_t (*sum)(const std::byte* from, std::size_t bytes);
};

/// The variants that this CPU can run; never empty.
std::span<const copy_variant> copy_variants();
std::span<const read_variant> read_variants();

}  // namespace assay::probes
