// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Random numbers that depend on nothing but (seed, stream, index): a plan made twice, on any
// platform, is the same bytes. The standard's distributions are not that: each library has its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace assay::compare {

/// What a sequence is drawn for. Two streams of one seed share nothing.
enum class rng_stream : std::uint64_t { pairing_plan = 1, visible_change = 2 };

/// Source: the mixing function is SplitMix64's finaliser (Steele, Lea, Flood, OOPSLA 2014).
class counter_rng {
 public:
  counter_rng(std::uint64_t seed, rng_stream stream, std::uint64_t part = 0);

  /// 64 even bits; each call advances the index.
  std::uint64_t next();

  /// Even over 0 … bound − 1. `bound` is at least 1. Draws again rather than be uneven.
  std::uint64_t below(std::uint64_t bound);

  template <class T>
  void shuffle(std::vector<T>& all) {
    for (std::size_t left = all.size(); left > 1; --left) {
      const auto other = static_cast<std::size_t>(below(left));
      std::swap(all[left - 1], all[other]);
    }
  }

 private:
  std::uint64_t key_;
  std::uint64_t index_ = 0;
};

}  // namespace assay::compare
