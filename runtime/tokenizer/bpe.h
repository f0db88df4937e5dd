// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Byte-pair merging: the bytes of a piece become ids, and neighbours merge in the order that
// training found.
#pragma once

#include "runtime/tokenizer/piece_table.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace assay::tokenizer {

/// Two neighbouring ids that become one. Its rank is its place in the list of rules.
struct merge_rule {
  std::int32_t left = 0;
  std::int32_t right = 0;
  std::int32_t merged = 0;
};

/// What a rule does, as a look-up finds it.
struct merge_effect {
  std::uint32_t rank = no_rank;
  std::int32_t merged = -1;

  static constexpr std::uint32_t no_rank = 0xFFFF'FFFF;
  bool exists() const { return rank != no_rank; }
};

/// The rules by their pair: open addressing, at most half full. One look-up a neighbour pair is
/// what encoding costs.
class merge_table {
 public:
  /// Of rules with the same pair the last one counts, as in the reference.
  explicit merge_table(std::span<const merge_rule> rules);
  merge_effect find(std::int32_t left, std::int32_t right) const;

 private:
  struct slot {
    std::uint64_t pair = empty;
    merge_effect effect;
  };
  static constexpr std::uint64_t empty = ~std::uint64_t{0};
  std::size_t slot_of(std::uint64_t pair) const;
  std::vector<slot> slots_;
  unsigned shift_ = 0;
};

/// Memory that merging uses again for each piece, and a count of its elementary steps: looks at a
/// neighbour pair, heap pushes and pops. Tests judge the cost by it, not by a clock.
struct merge_scratch {
  struct symbol {
    std::int32_t id;
    std::int32_t previous;  ///< -1 at the ends
    std::int32_t next;
  };
  struct candidate {
    std::uint32_t rank;
    std::int32_t at;
    std::int32_t merged;
  };
  std::vector<std::int32_t> ids;
  std::vector<merge_effect> effects;
  std::vector<symbol> symbols;
  std::vector<candidate> heap;
  std::uint64_t steps = 0;
};

/// Threads: const throughout; each thread brings its scratch.
class bpe_model {
 public:
  /// `byte_ids`: the id of each single byte. `rules`: in rank order.
  bpe_model(const std::array<std::int32_t, 256>& byte_ids, std::span<const merge_rule> rules);

  /// What becomes of pieces that stand in the vocabulary.
  enum class whole_pieces {
    taken,   ///< as their entry, before any merge is tried (`ignore_merges`)
    merged,  ///< as others; those that merge into their entry anyhow are looked up all the same
  };
  void learn_pieces(const std::vector<std::pair<std::string_view, std::int32_t>>& ids_by_bytes,
                    whole_pieces rule);

  void append_ids(std::string_view piece, std::vector<std::int32_t>& out,
                  merge_scratch& scratch) const;

  /// By rules alone, whatever stands in the vocabulary.
  void merge(std::string_view piece, std::vector<std::int32_t>& out, merge_scratch& scratch) const;

  /// The two ways of merging: quadratic with a small constant, and n log n. Both merge the lowest
  /// rank first, the leftmost of equal ranks, and give the same ids.
  void merge_by_scan(std::string_view piece, std::vector<std::int32_t>& out,
                     merge_scratch& scratch) const;
  void merge_by_heap(std::string_view piece, std::vector<std::int32_t>& out,
                     merge_scratch& scratch) const;

  /// Pieces of at most so many bytes are merged by scan. Words are; a run of white space, of
  /// letters without spaces, or a hostile text is not.
  static constexpr std::size_t scan_at_most_bytes = 48;

 private:
  void propose(std::int32_t at, merge_scratch& scratch) const;
  void merge_at(const merge_scratch::candidate& best, merge_scratch& scratch) const;
  std::array<std::int32_t, 256> byte_ids_;
  merge_table merges_;
  piece_table whole_pieces_;
};

}  // namespace assay::tokenizer
