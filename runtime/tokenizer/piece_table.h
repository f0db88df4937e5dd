// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Byte strings to ids, for the one look-up that most pieces of a text need.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace assay::tokenizer {

/// Open addressing, at most half full. Pieces of at most 12 bytes, which most are, lie in their
/// slot; the bytes of longer ones lie one behind the other.
/// Threads: const throughout.
class piece_table {
 public:
  piece_table() = default;
  /// `pieces` are distinct and not empty; ids are not negative.
  explicit piece_table(const std::vector<std::pair<std::string_view, std::int32_t>>& pieces);

  /// The id of the piece, or -1. `piece` is not empty.
  std::int32_t find(std::string_view piece) const {
    if (slots_.empty()) return -1;
    return slots_[slot_of(key_of(piece), piece)].id;
  }
  bool is_empty() const { return slots_.empty(); }

 private:
  /// What is compared before any bytes elsewhere are looked at: the first 8 bytes, the 4 at byte 8
  /// (or, of a longer piece, a part of its hash) and the length.
  struct key {
    std::uint64_t head;
    std::uint32_t tail;
    std::uint32_t size;
    std::uint64_t hash;
  };
  struct slot {
    std::uint64_t head = 0;
    std::uint32_t tail = 0;
    std::uint32_t size = 0;  ///< 0: empty
    std::uint32_t at = 0;    ///< of a longer piece, in bytes_
    std::int32_t id = -1;
  };
  static constexpr std::size_t inline_bytes = 12;
  static key key_of(std::string_view piece);
  std::size_t slot_of(const key& wanted, std::string_view piece) const;
  std::vector<slot> slots_;
  std::string bytes_;
  unsigned shift_ = 0;
};

}  // namespace assay::tokenizer
