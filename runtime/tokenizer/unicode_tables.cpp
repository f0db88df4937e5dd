// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/tokenizer/unicode_tables.h"

#include <algorithm>
#include <array>
#include <iterator>

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

/// The range that holds `scalar`, or null. Ranges are sorted and do not overlap.
template <class Range, std::size_t Count>
const Range* find(const Range (&ranges)[Count], char32_t scalar) {
  const Range* after = std::upper_bound(std::begin(ranges), std::end(ranges), scalar,
                                        [](char32_t s, const Range& r) { return s < r.first; });
  if (after == std::begin(ranges)) return nullptr;
  const Range* candidate = after - 1;
  return scalar <= candidate->last ? candidate : nullptr;
}

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
  const class_range* range = find(class_ranges, scalar);
  return range ? range->value : char_class::other;
}

bool is_word(char32_t scalar) {
  return find(word_ranges, scalar) != nullptr;
}

}  // namespace assay::tokenizer
