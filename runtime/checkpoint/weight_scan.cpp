// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/checkpoint/weight_scan.h"

#include <algorithm>
#include <cstring>

namespace assay::checkpoint {
namespace {

// Adding 1 at the lowest bit of an exponent that is all ones carries into the place of the sign,
// which the mask has cleared; no other value carries, and no lane into the next.
struct lanes {
  std::uint64_t exponent;
  std::uint64_t one;
  std::uint64_t carry;
};

constexpr std::uint64_t four(std::uint64_t lane) {
  return lane * 0x0001'0001'0001'0001U;
}
constexpr std::uint64_t two(std::uint64_t lane) {
  return lane * 0x0000'0001'0000'0001U;
}

constexpr lanes lanes_of(dtype type) {
  switch (type) {
    case dtype::bf16:
      return {four(0x7f80), four(0x0080), four(0x8000)};
    case dtype::f16:
      return {four(0x7c00), four(0x0400), four(0x8000)};
    case dtype::f32:
      break;
  }
  return {two(0x7f80'0000), two(0x0080'0000), two(0x8000'0000)};
}

bool has_non_finite(const std::byte* bytes, std::size_t byte_count, const lanes& lane) {
  std::uint64_t carries = 0;
  std::size_t i = 0;
  for (; i + sizeof(std::uint64_t) <= byte_count; i += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes + i, sizeof(word));
    carries |= (word & lane.exponent) + lane.one;
  }
  // Missing lanes are zeros, which are finite.
  std::uint64_t rest = 0;
  std::memcpy(&rest, bytes + i, byte_count - i);
  carries |= (rest & lane.exponent) + lane.one;
  return (carries & lane.carry) != 0;
}

// 4 KiB: the loop has no exit, so that the compiler can widen it, and a find costs one block twice.
constexpr std::size_t block_bytes = 4096;

}  // namespace

std::optional<std::uint64_t> first_non_finite(std::span<const std::byte> bytes, dtype type) {
  const lanes lane = lanes_of(type);
  const std::size_t element_bytes = bytes_of(type);
  for (std::size_t begin = 0; begin < bytes.size(); begin += block_bytes) {
    const std::size_t end = std::min(begin + block_bytes, bytes.size());
    if (!has_non_finite(bytes.data() + begin, end - begin, lane)) continue;
    for (std::size_t i = begin; i < end; i += element_bytes) {
      if (has_non_finite(bytes.data() + i, element_bytes, lane)) return i / element_bytes;
    }
  }
  return std::nullopt;
}

}  // namespace assay::checkpoint
