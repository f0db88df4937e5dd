// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/counter_rng.h"

#include "runtime/telemetry/check.h"

namespace assay::compare {
namespace {

constexpr std::uint64_t golden_gamma = 0x9E3779B97F4A7C15ULL;

std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 30U)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27U)) * 0x94D049BB133111EBULL;
  return x ^ (x >> 31U);
}

}  // namespace

counter_rng::counter_rng(std::uint64_t seed, rng_stream stream, std::uint64_t part)
    : key_(mixed(mixed(seed + golden_gamma) ^ mixed(static_cast<std::uint64_t>(stream)) ^
                 mixed(part * golden_gamma + 0x5851F42D4C957F2DULL))) {}

std::uint64_t counter_rng::next() {
  return mixed(key_ + ++index_ * golden_gamma);
}

std::uint64_t counter_rng::below(std::uint64_t bound) {
  ASSAY_CHECK(bound > 0, "a draw from nothing");
  // The first `uneven` values would make the low results likelier.
  const std::uint64_t uneven = (0 - bound) % bound;
  std::uint64_t drawn = next();
  while (drawn < uneven) drawn = next();
  return drawn % bound;
}

}  // namespace assay::compare
