// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/tokenizer/nfc_tables.h"

#include <algorithm>
#include <iterator>

namespace assay::tokenizer {

namespace {

struct decomposition {
  char32_t scalar;
  std::uint32_t count;
  char32_t parts[4];
};

constexpr decomposition decompositions[] = {
#define ASSAY_DECOMPOSITIONS
#include "runtime/tokenizer/nfc_tables.inc"
};

struct composition {
  char32_t first;
  char32_t second;
  char32_t composed;
};

constexpr composition compositions[] = {
#define ASSAY_COMPOSITIONS
#include "runtime/tokenizer/nfc_tables.inc"
};

struct class_range {
  char32_t first;
  char32_t last;
  std::uint8_t combining_class;
};

constexpr class_range combining_classes[] = {
#define ASSAY_COMBINING_CLASSES
#include "runtime/tokenizer/nfc_tables.inc"
};

constexpr char32_t first_decomposing = decompositions[0].scalar;
constexpr char32_t first_combining = combining_classes[0].first;

}  // namespace

std::span<const char32_t> decomposition_of(char32_t scalar) {
  if (scalar < first_decomposing) return {};
  const decomposition* found =
      std::lower_bound(std::begin(decompositions), std::end(decompositions), scalar,
                       [](const decomposition& d, char32_t s) { return d.scalar < s; });
  if (found == std::end(decompositions) || found->scalar != scalar) return {};
  return {found->parts, found->count};
}

char32_t composition_of(char32_t first, char32_t second) {
  const auto before = [](const composition& c, const composition& key) {
    return c.first != key.first ? c.first < key.first : c.second < key.second;
  };
  const composition key{first, second, 0};
  const composition* found =
      std::lower_bound(std::begin(compositions), std::end(compositions), key, before);
  if (found == std::end(compositions) || found->first != first || found->second != second) return 0;
  return found->composed;
}

std::uint8_t combining_class_of(char32_t scalar) {
  if (scalar < first_combining) return 0;
  const class_range* after =
      std::upper_bound(std::begin(combining_classes), std::end(combining_classes), scalar,
                       [](char32_t s, const class_range& r) { return s < r.first; });
  if (after == std::begin(combining_classes)) return 0;
  const class_range* candidate = after - 1;
  return scalar <= candidate->last ? candidate->combining_class : std::uint8_t{0};
}

}  // namespace assay::tokenizer
