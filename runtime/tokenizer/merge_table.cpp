// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/tokenizer/bpe.h"

#include <bit>

namespace assay::tokenizer {

namespace {

std::uint64_t pair_of(std::int32_t left, std::int32_t right) {
  return (static_cast<std::uint64_t>(static_cast<std::uint32_t>(left)) << 32) |
         static_cast<std::uint32_t>(right);
}

}  // namespace

merge_table::merge_table(std::span<const merge_rule> rules) {
  const std::size_t slot_count = std::bit_ceil(rules.size() * 2 + 2);
  slots_.resize(slot_count);
  shift_ = 64 - static_cast<unsigned>(std::countr_zero(slot_count));
  for (std::size_t rank = 0; rank < rules.size(); ++rank) {
    const merge_rule& rule = rules[rank];
    const std::uint64_t pair = pair_of(rule.left, rule.right);
    slots_[slot_of(pair)] = {pair, {static_cast<std::uint32_t>(rank), rule.merged}};
  }
}

/// The slot that holds the pair, or the empty one where it would go. Multiplying by 2^64 over the
/// golden ratio spreads neighbouring ids; the upper bits index.
std::size_t merge_table::slot_of(std::uint64_t pair) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = static_cast<std::size_t>((pair * 0x9E3779B97F4A7C15u) >> shift_);
  while (slots_[at].pair != empty && slots_[at].pair != pair) at = (at + 1) & mask;
  return at;
}

merge_effect merge_table::find(std::int32_t left, std::int32_t right) const {
  return slots_[slot_of(pair_of(left, right))].effect;
}

}  // namespace assay::tokenizer
