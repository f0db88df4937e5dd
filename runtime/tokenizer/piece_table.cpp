// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/tokenizer/piece_table.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace assay::tokenizer {

namespace {

// 2^64 over the golden ratio: an odd number without pattern in its bits.
constexpr std::uint64_t spread = 0x9E3779B97F4A7C15u;

/// Up to eight bytes as a number; the host's byte order does not matter, it is the same for all.
std::uint64_t load(const char* from, std::size_t count) {
  std::uint64_t out = 0;
  std::memcpy(&out, from, count);
  return out;
}

std::uint64_t mixed(std::uint64_t hash, std::uint64_t word) {
  hash = (hash ^ word) * spread;
  return hash ^ (hash >> 32);
}

}  // namespace

piece_table::key piece_table::key_of(std::string_view piece) {
  const std::size_t size = piece.size();
  key out{};
  out.size = static_cast<std::uint32_t>(size);
  out.head = load(piece.data(), std::min<std::size_t>(size, 8));
  if (size > 8 && size <= inline_bytes)
    out.tail = static_cast<std::uint32_t>(load(piece.data() + 8, size - 8));
  out.hash = mixed(mixed(size, out.head), out.tail);
  if (size > inline_bytes) {
    for (std::size_t at = 8; at < size; at += 8)
      out.hash = mixed(out.hash, load(piece.data() + at, std::min<std::size_t>(size - at, 8)));
    out.tail = static_cast<std::uint32_t>(out.hash);
  }
  out.hash *= spread;
  return out;
}

std::size_t piece_table::slot_of(const key& wanted, std::string_view piece) const {
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t at = static_cast<std::size_t>(wanted.hash >> shift_);; at = (at + 1) & mask) {
    const slot& here = slots_[at];
    if (here.size == 0) return at;
    if (here.size != wanted.size || here.head != wanted.head || here.tail != wanted.tail) continue;
    if (wanted.size <= inline_bytes ||
        std::memcmp(bytes_.data() + here.at, piece.data(), piece.size()) == 0)
      return at;
  }
}

piece_table::piece_table(const std::vector<std::pair<std::string_view, std::int32_t>>& pieces) {
  if (pieces.empty()) return;
  const std::size_t slot_count = std::bit_ceil(pieces.size() * 2 + 2);
  slots_.resize(slot_count);
  shift_ = 64 - static_cast<unsigned>(std::countr_zero(slot_count));
  for (const auto& [piece, id] : pieces) {
    const key wanted = key_of(piece);
    slot& to = slots_[slot_of(wanted, piece)];
    to = {wanted.head, wanted.tail, wanted.size, static_cast<std::uint32_t>(bytes_.size()), id};
    if (piece.size() > inline_bytes) bytes_ += piece;
  }
}

}  // namespace assay::tokenizer
