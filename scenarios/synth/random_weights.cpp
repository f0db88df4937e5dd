// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "scenarios/synth/random_weights.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "runtime/telemetry/fnv1a.h"

namespace assay::synth {
namespace {

// SplitMix64's finaliser: a bijection whose output bits each depend on all input bits.
constexpr std::uint64_t mixed(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

constexpr std::uint64_t hash_of(std::string_view text) {
  telemetry::fnv1a hash;
  hash.take(text);
  return hash.value();
}

// Nearest, ties to even.
std::uint16_t to_bf16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return static_cast<std::uint16_t>((bits + 0x7fffU + (bits >> 16 & 1U)) >> 16);
}

constexpr std::uint32_t draws = 1U << 16;

}  // namespace

random_weights::random_weights(const tensor& of, std::uint64_t seed)
    : key_(mixed(seed + 0x9e3779b97f4a7c15U) ^ hash_of(of.name)), values_(draws) {
  const double reach = of.is_gain ? 0.5 : std::sqrt(3.0 / static_cast<double>(of.columns));
  const double middle = of.is_gain ? 1.0 : 0.0;
  for (std::uint32_t i = 0; i < draws; ++i)
    values_[i] = to_bf16(static_cast<float>(middle + reach * ((2.0 * i + 1.0) / draws - 1.0)));
}

void random_weights::fill(std::uint64_t first, std::span<std::uint16_t> to) const {
  for (std::size_t i = 0; i < to.size(); i += 4) {
    std::uint64_t bits = mixed(key_ + (first + i) / 4 * 0x9e3779b97f4a7c15U);
    for (std::size_t j = i; j < std::min(i + 4, to.size()); ++j, bits >>= 16)
      to[j] = values_[bits & 0xffffU];
  }
}

}  // namespace assay::synth
