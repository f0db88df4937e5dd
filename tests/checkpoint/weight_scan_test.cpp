// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this file a NaN in one weight would come out as text that is merely bad.
#include "runtime/checkpoint/weight_scan.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

namespace assay::checkpoint {
namespace {

// Every pattern of 16 bits, judged by its definition: exponent all ones.
void expect_each_pattern(dtype type, unsigned exponent_mask) {
  for (unsigned pattern = 0; pattern <= 0xffff; ++pattern) {
    const auto value = static_cast<std::uint16_t>(pattern);
    // 7 elements: a word of 8 bytes and a rest. The last is the one under test.
    std::vector<std::uint16_t> elements(7, 0x0001);
    elements[6] = value;
    const auto found = first_non_finite(std::as_bytes(std::span(elements)), type);
    const bool is_finite = (pattern & exponent_mask) != exponent_mask;
    ASSERT_EQ(found.has_value(), !is_finite) << std::hex << pattern;
    ASSERT_EQ(found.value_or(6), 6U);
  }
}

TEST(WeightScan, judges_every_bf16) {
  expect_each_pattern(dtype::bf16, 0x7f80);
}

TEST(WeightScan, judges_every_f16) {
  expect_each_pattern(dtype::f16, 0x7c00);
}

TEST(WeightScan, judges_f32_as_isfinite_does) {
  std::uint32_t state = 1;
  std::size_t non_finite_count = 0;
  for (int i = 0; i < 200'000; ++i) {
    state = state * 1664525U + 1013904223U;
    // Every fourth has an exponent of all ones but perhaps one bit: chance alone gives 1 in 256.
    const std::uint32_t pattern = i % 4 == 0 ? state | 0x7f00'0000U : state;
    float value = 0;
    std::memcpy(&value, &pattern, sizeof(value));
    const float elements[3] = {1.0F, value, -std::numeric_limits<float>::max()};
    const auto found = first_non_finite(std::as_bytes(std::span(elements)), dtype::f32);
    ASSERT_EQ(found.has_value(), !std::isfinite(value)) << std::hex << pattern;
    non_finite_count += found.has_value();
  }
  EXPECT_GT(non_finite_count, 10'000U);
}

TEST(WeightScan, finds_the_first_at_every_place_around_the_ends_of_a_block) {
  constexpr std::size_t element_count = 4100;  // of 2 bytes: two blocks of 4 KiB and a rest
  for (const std::size_t place : {0, 1, 3, 4, 2047, 2048, 2049, 4095, 4096, 4098, 4099}) {
    std::vector<std::uint16_t> elements(element_count, 0x3f80);
    elements[place] = 0xff80;
    elements.back() = 0x7fc0;
    EXPECT_EQ(first_non_finite(std::as_bytes(std::span(elements)), dtype::bf16), place);
  }
}

TEST(WeightScan, reads_at_odd_addresses) {
  std::vector<std::byte> bytes(4 * 5 + 1);
  const float infinite = std::numeric_limits<float>::infinity();
  std::memcpy(bytes.data() + 1 + 4 * 3, &infinite, sizeof(infinite));
  EXPECT_EQ(first_non_finite(std::span(bytes).subspan(1), dtype::f32), 3U);
}

TEST(WeightScan, finds_nothing_in_nothing) {
  EXPECT_FALSE(first_non_finite({}, dtype::bf16));
}

}  // namespace
}  // namespace assay::checkpoint
