// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Which weights are pinned under a budget, and how large the staging area is. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace assay::memory {

/// An operator's weights: indices into the sizes. A weight belongs to one operator.
using operator_weights = std::vector<std::uint32_t>;

struct placement {
  std::vector<bool> is_resident;     ///< by weight
  std::uint64_t resident_bytes = 0;  ///< as placed
  /// Room for the streamed weights of two operators: while one is read, the next is filled. 0 where
  /// nothing is streamed.
  std::uint64_t staging_bytes = 0;
};

/// The least budget that a step can run with: the staging area, where nothing else is pinned than
/// what makes it smaller.
std::uint64_t least_budget_bytes(std::span<const operator_weights> operators,
                                 std::span<const std::uint64_t> placed_bytes);

/// All that fits beside the staging area. Where keeping the largest operators whole makes the
/// staging area smaller by more than it costs, they are kept; then weights in the order in which
/// a step uses them, each that still fits. None where the budget is below the least.
/// `placed_bytes`: of each weight, as its grant rounds it up.
std::optional<placement> place(std::span<const operator_weights> operators,
                               std::span<const std::uint64_t> placed_bytes,
                               std::uint64_t budget_bytes);

}  // namespace assay::memory
