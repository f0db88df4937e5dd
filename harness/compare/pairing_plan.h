// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Which process runs when. The order is what makes two sides comparable on a machine whose speed
// drifts: the two of a pair are neighbours in time, and which comes first is drawn.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace assay::compare {

enum class side : std::uint8_t { base, head };

constexpr side other(side s) {
  return s == side::base ? side::head : side::base;
}

/// The screen looks at every row, the confirmation at those that passed, with fresh pairs.
enum class stage : std::uint8_t { screen, confirm };

/// One process to start. Slots 0,1 of a block are one pair, 2,3 the next.
struct planned_process {
  std::uint32_t subject = 0;  ///< which benchmark, as the caller numbers them
  compare::side side = compare::side::base;
  std::uint32_t block = 0;
  std::uint32_t slot = 0;

  friend bool operator==(const planned_process&, const planned_process&) = default;
};

inline constexpr std::size_t pairs_a_block = 2;

/// Block by block; within a block the subjects in an order drawn for it, each as base head head
/// base or head base base head: what drifts evenly over the four cancels, and neither side is first
/// more often by design. `pairs` is rounded up to whole blocks. The same arguments give the same
/// plan on every platform.
std::vector<planned_process> pairing_plan(std::uint64_t seed, compare::stage stage,
                                          const std::vector<std::uint32_t>& subjects,
                                          std::size_t pairs);

}  // namespace assay::compare
