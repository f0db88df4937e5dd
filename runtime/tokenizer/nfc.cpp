// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/tokenizer/nfc.h"

#include "runtime/tokenizer/nfc_tables.h"
#include "runtime/tokenizer/utf8.h"

#include <algorithm>
#include <vector>

namespace assay::tokenizer {

namespace {

// Hangul syllables compose by arithmetic: The Unicode Standard, section 3.12.
constexpr char32_t hangul_first = 0xAC00;
constexpr char32_t hangul_count = 11172;
constexpr char32_t lead_first = 0x1100;
constexpr char32_t lead_count = 19;
constexpr char32_t vowel_first = 0x1161;
constexpr char32_t vowel_count = 21;
constexpr char32_t tail_before_first = 0x11A7;  // the tail with index 0 is no tail
constexpr char32_t tail_count = 28;

/// One scalar of the text on its way, with the class that orders it.
struct mark {
  char32_t scalar;
  std::uint8_t combining_class;
};

void append_decomposed(char32_t scalar, std::vector<mark>& to) {
  if (scalar >= hangul_first && scalar < hangul_first + hangul_count) {
    const char32_t index = scalar - hangul_first;
    to.push_back({lead_first + index / (vowel_count * tail_count), 0});
    to.push_back({vowel_first + index % (vowel_count * tail_count) / tail_count, 0});
    if (index % tail_count != 0) to.push_back({tail_before_first + index % tail_count, 0});
    return;
  }
  const std::span<const char32_t> parts = decomposition_of(scalar);
  if (parts.empty()) to.push_back({scalar, combining_class_of(scalar)});
  for (char32_t part : parts) to.push_back({part, combining_class_of(part)});
}

/// Sorts every run of marks by class; equal classes keep their order.
void reorder(std::vector<mark>& marks) {
  const auto is_starter = [](const mark& m) { return m.combining_class == 0; };
  auto run = marks.begin();
  while (run != marks.end()) {
    if (is_starter(*run)) {
      ++run;
      continue;
    }
    const auto end = std::find_if(run, marks.end(), is_starter);
    std::stable_sort(run, end, [](const mark& a, const mark& b) {
      return a.combining_class < b.combining_class;
    });
    run = end;
  }
}

char32_t composed(char32_t first, char32_t second) {
  if (first >= lead_first && first < lead_first + lead_count && second >= vowel_first &&
      second < vowel_first + vowel_count)
    return hangul_first +
           ((first - lead_first) * vowel_count + (second - vowel_first)) * tail_count;
  if (first >= hangul_first && first < hangul_first + hangul_count &&
      (first - hangul_first) % tail_count == 0 && second > tail_before_first &&
      second < tail_before_first + tail_count)
    return first + (second - tail_before_first);
  return composition_of(first, second);
}

/// Composes in place. A mark reaches its starter only if nothing between them has a class as high
/// as its own, and no starter stands between.
void compose(std::vector<mark>& marks) {
  constexpr std::size_t nowhere = static_cast<std::size_t>(-1);
  std::size_t starter = nowhere;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < marks.size(); ++i) {
    const mark now = marks[i];
    if (starter != nowhere) {
      const bool is_adjacent = starter + 1 == kept;
      const std::uint8_t before = marks[kept - 1].combining_class;
      if (is_adjacent || (before != 0 && before < now.combining_class)) {
        if (const char32_t both = composed(marks[starter].scalar, now.scalar)) {
          marks[starter].scalar = both;
          continue;
        }
      }
    }
    if (now.combining_class == 0) starter = kept;
    marks[kept++] = now;
  }
  marks.resize(kept);
}

}  // namespace

bool is_plainly_nfc(std::string_view text) {
  constexpr unsigned lead_of_u0300 = 0xCC;
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < lead_of_u0300; });
}

std::string to_nfc(std::string_view text) {
  std::vector<mark> marks;
  marks.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const utf8_scalar scalar = scalar_at(text, at);
    append_decomposed(scalar.value, marks);
    at += scalar.byte_count;
  }
  reorder(marks);
  compose(marks);
  std::string out;
  out.reserve(text.size());
  for (const mark& m : marks) append_scalar(m.scalar, out);
  return out;
}

}  // namespace assay::tokenizer
