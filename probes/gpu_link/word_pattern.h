// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Memory of 64-bit words whose sum is known without reading them. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace assay::probes {

/// Word i is first + i * step, modulo 2^64. A word that is left out, read twice or not written
/// changes the sum, unless what it holds is 0 modulo 2^64. Words that change places do not: a
/// ceiling asks whether all of them moved.
struct word_pattern {
  static constexpr std::uint64_t step = 0x9e3779b97f4a7c15;  // odd: no word repeats

  std::uint64_t first =
      0x5851f42d4c957f2d;  // any; 0 would make the first word one that nobody misses

  constexpr std::uint64_t word(std::uint64_t i) const { return first + i * step; }

  /// Sum of the first `count` words.
  constexpr std::uint64_t sum(std::uint64_t count) const {
    // Of count and count - 1, the even one is halved: the product modulo 2^64 would lose its top
    // bit.
    const std::uint64_t pairs =
        count % 2 == 0 ? count / 2 * (count - 1) : count * ((count - 1) / 2);
    return first * count + step * pairs;
  }

  void fill(std::span<std::uint64_t> words) const {
    for (std::size_t i = 0; i < words.size(); ++i) words[i] = word(i);
  }

  bool is_in(std::span<const std::uint64_t> words) const {
    std::uint64_t differences = 0;
    for (std::size_t i = 0; i < words.size(); ++i) differences |= words[i] ^ word(i);
    return differences == 0;
  }
};

}  // namespace assay::probes
