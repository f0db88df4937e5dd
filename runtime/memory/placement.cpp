// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/memory/placement.h"

#include <algorithm>
#include <numeric>

namespace assay::memory {
namespace {

constexpr std::uint64_t staged_operators = 2;

using sizes = std::span<const std::uint64_t>;

std::uint64_t bytes_of(const operator_weights& weights, sizes placed_bytes) {
  std::uint64_t bytes = 0;
  for (const std::uint32_t weight : weights) bytes += placed_bytes[weight];
  return bytes;
}

// Operators above a size are kept whole; the staging area is made for the largest of the others.
struct cut {
  std::uint64_t largest_streamed_bytes = 0;
  std::uint64_t kept_bytes = 0;

  std::uint64_t staging_bytes() const { return staged_operators * largest_streamed_bytes; }
  std::uint64_t least_bytes() const { return kept_bytes + staging_bytes(); }
};

// The largest streamed operator may have any of the sizes that there are.
std::vector<cut> cuts_of(std::span<const operator_weights> operators, sizes placed_bytes) {
  std::vector<std::uint64_t> operator_bytes;
  for (const operator_weights& each : operators)
    operator_bytes.push_back(bytes_of(each, placed_bytes));
  std::sort(operator_bytes.rbegin(), operator_bytes.rend());
  std::vector<cut> cuts;
  std::uint64_t kept_bytes = 0;
  for (std::size_t i = 0; i < operator_bytes.size(); ++i) {
    if (i == 0 || operator_bytes[i] != operator_bytes[i - 1])
      cuts.push_back({operator_bytes[i], kept_bytes});
    kept_bytes += operator_bytes[i];
  }
  return cuts;
}

placement filled(const cut& at, std::span<const operator_weights> operators, sizes placed_bytes,
                 std::uint64_t budget_bytes) {
  placement made{std::vector<bool>(placed_bytes.size()), at.kept_bytes, at.staging_bytes()};
  for (const operator_weights& each : operators)
    if (bytes_of(each, placed_bytes) > at.largest_streamed_bytes)
      for (const std::uint32_t weight : each) made.is_resident[weight] = true;
  const std::uint64_t room_bytes = budget_bytes - at.staging_bytes();
  for (const operator_weights& each : operators)
    for (const std::uint32_t weight : each) {
      if (made.is_resident[weight] || placed_bytes[weight] > room_bytes - made.resident_bytes)
        continue;
      made.is_resident[weight] = true;
      made.resident_bytes += placed_bytes[weight];
    }
  return made;
}

}  // namespace

std::uint64_t least_budget_bytes(std::span<const operator_weights> operators, sizes placed_bytes) {
  std::uint64_t least = 0;
  for (const cut& each : cuts_of(operators, placed_bytes))
    least = least == 0 ? each.least_bytes() : std::min(least, each.least_bytes());
  return least;
}

std::optional<placement> place(std::span<const operator_weights> operators, sizes placed_bytes,
                               std::uint64_t budget_bytes) {
  const std::uint64_t all_bytes =
      std::accumulate(placed_bytes.begin(), placed_bytes.end(), std::uint64_t{0});
  if (all_bytes <= budget_bytes)
    return placement{std::vector<bool>(placed_bytes.size(), true), all_bytes, 0};
  std::optional<placement> best;
  for (const cut& each : cuts_of(operators, placed_bytes)) {
    if (each.least_bytes() > budget_bytes) continue;
    placement made = filled(each, operators, placed_bytes, budget_bytes);
    if (!best || made.resident_bytes > best->resident_bytes) best = std::move(made);
  }
  return best;
}

}  // namespace assay::memory
