// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/tokenizer/unicode_tables.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <vector>

namespace assay::tokenizer {

namespace {

struct class_range {
  char32_t first;
  char32_t last;
  char_class value;
};

constexpr class_range class_ranges[] = {
#define ASSAY_CLASS_RANGES
#include "runtime/tokenizer/unicode_ranges.inc"
};

struct word_range {
  char32_t first;
  char32_t last;
};

constexpr word_range word_ranges[] = {
#define ASSAY_WORD_RANGES
#include "runtime/tokenizer/unicode_ranges.inc"
};

constexpr char32_t scalar_end = 0x110000;
constexpr std::size_t block_size = 256;

using class_block = std::array<char_class, block_size>;

/// The ranges as blocks of 256 scalars, equal blocks kept once. A search in the ranges would be
/// most of what splitting Chinese text costs.
struct class_blocks {
  class_blocks() {
    const class_range* range = std::begin(class_ranges);
    for (std::size_t i = 0; i < index.size(); ++i) {
      class_block block{};
      const char32_t base = static_cast<char32_t>(i * block_size);
      for (std::size_t j = 0; j < block_size; ++j) {
        const char32_t scalar = base + static_cast<char32_t>(j);
        while (range != std::end(class_ranges) && range->last < scalar) ++range;
        if (range != std::end(class_ranges) && range->first <= scalar) block[j] = range->value;
      }
      const auto known = std::find(blocks.begin(), blocks.end(), block);
      index[i] = static_cast<std::uint16_t>(known - blocks.begin());
      if (known == blocks.end()) blocks.push_back(block);
    }
  }

  std::array<std::uint16_t, scalar_end / block_size> index;
  std::vector<class_block> blocks;
};

constexpr std::array<char_class, 128> make_ascii() {
  std::array<char_class, 128> out{};
  for (const class_range& range : class_ranges)
    for (char32_t c = range.first; c <= range.last && c < 128; ++c) out[c] = range.value;
  return out;
}

constexpr std::array<char_class, 128> ascii = make_ascii();

}  // namespace

char_class class_of(char32_t scalar) {
  if (scalar < 128) return ascii[scalar];
  static const class_blocks table;
  return table.blocks[table.index[scalar / block_size]][scalar % block_size];
}

bool is_word(char32_t scalar) {
  const word_range* after =
      std::upper_bound(std::begin(word_ranges), std::end(word_ranges), scalar,
                       [](char32_t s, const word_range& r) { return s < r.first; });
  return after != std::begin(word_ranges) && scalar <= (after - 1)->last;
}

}  // namespace assay::tokenizer
