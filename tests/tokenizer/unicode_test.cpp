// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this the tables could come from another Unicode version than the reference's, and rare
// scripts would be cut elsewhere than in training.
#include "runtime/tokenizer/nfc.h"
#include "runtime/tokenizer/nfc_tables.h"
#include "runtime/tokenizer/unicode_tables.h"
#include "runtime/tokenizer/utf8.h"
#include "tests/tokenizer/embedded.h"

#include <map>

namespace assay::tokenizer::test {
namespace {

TEST(Unicode, class_totals_are_those_of_unicode_16) {
  std::map<char_class, std::size_t> totals;
  std::size_t letters = 0;
  for (char32_t c = 0; c <= 0x10FFFF; ++c) {
    ++totals[class_of(c)];
    letters += is_letter(class_of(c));
  }
  EXPECT_EQ(letters, 141028u);
  EXPECT_EQ(totals[char_class::upper], 1858u + 31u);
  EXPECT_EQ(totals[char_class::lower], 2258u);
  EXPECT_EQ(totals[char_class::mark], 2501u);
  EXPECT_EQ(totals[char_class::number], 1911u);
  EXPECT_EQ(totals[char_class::space], 25u);
}

TEST(Unicode, classes_at_the_edges_that_libraries_disagree_on) {
  EXPECT_EQ(class_of(0x85), char_class::space);        // not in JavaScript's \s
  EXPECT_EQ(class_of(0xFEFF), char_class::other);      // in JavaScript's \s
  EXPECT_EQ(class_of(0x180E), char_class::other);      // in PCRE2's \s
  EXPECT_EQ(class_of(0x105C9), char_class::caseless);  // new in Unicode 16
  EXPECT_EQ(class_of(0x10D40), char_class::number);    // new in Unicode 16
  EXPECT_EQ(class_of(0xA7CB), char_class::upper);      // new in Unicode 16
  EXPECT_EQ(class_of(0x01C5), char_class::upper);      // titlecase
  EXPECT_EQ(class_of(0x02B0), char_class::caseless);   // a modifier
  EXPECT_EQ(class_of(0x2167), char_class::number);     // upper in other properties
  EXPECT_EQ(class_of(0x301), char_class::mark);
  EXPECT_EQ(class_of(0x10FFFF), char_class::other);
  EXPECT_TRUE(is_word('_'));
  EXPECT_TRUE(is_word(0x301));
  EXPECT_FALSE(is_word('-'));
  EXPECT_FALSE(is_word(0xBD));
}

std::string utf8(std::u32string_view scalars) {
  std::string out;
  for (char32_t c : scalars) append_scalar(c, out);
  return out;
}

struct nfc_case {
  const char* name;
  std::u32string given;
  std::u32string expected;
};

TEST(Nfc, composes_orders_and_leaves_alone) {
  const nfc_case cases[] = {
      {"letter and mark", U"e\u0301", U"\u00E9"},
      {"two marks onto one letter", U"u\u0308\u0304", U"\u01D6"},
      {"marks of different classes are ordered first", U"q\u0307\u0323", U"q\u0323\u0307"},
      {"a mark passes one of lower class", U"e\u0323\u0302", U"\u1EC7"},
      {"a mark of equal class blocks", U"a\u0302\u0301\u0302", U"\u1EA5\u0302"},
      {"equal class, first stays", U"x\u0302\u0301", U"x\u0302\u0301"},
      {"a starter blocks", U"a\u200D\u0301", U"a\u200D\u0301"},
      {"singleton", U"\u2126\u212B", U"\u03A9\u00C5"},
      {"excluded from composition", U"\u0958", U"\u0915\u093C"},
      {"mark without a letter", U"\u0301e", U"\u0301e"},
      {"adjacent starters compose", U"\u09C7\u09BE", U"\u09CB"},
      {"Hangul from jamo", U"\u1112\u1161\u11AB", U"\uD55C"},
      {"Hangul syllable takes a tail", U"\uD558\u11AB", U"\uD55C"},
      {"Hangul with tail takes none", U"\uD55C\u11AB", U"\uD55C\u11AB"},
      {"U+11A7 is not a tail", U"\uD558\u11A7", U"\uD558\u11A7"},
      {"lead alone", U"\u1112a", U"\u1112a"},
      {"kana with voicing", U"\u304B\u3099", U"\u304C"},
      {"newer than the reference's normaliser", U"a\u0315\u1ACC", U"a\u0315\u1ACC"},
      {"not composed in the reference's version", U"\U000105D2\u0307", U"\U000105D2\u0307"},
      {"empty", U"", U""},
  };
  for (const nfc_case& one : cases) {
    EXPECT_EQ(to_nfc(utf8(one.given)), utf8(one.expected)) << one.name;
    EXPECT_EQ(to_nfc(utf8(one.expected)), utf8(one.expected)) << one.name << ", again";
  }
}

TEST(Nfc, the_quick_look_never_passes_text_that_would_change) {
  for (char32_t c = 0; c <= 0x10FFFF; ++c) {
    if (c >= 0xD800 && c < 0xE000) continue;
    const std::string text = utf8(std::u32string{U'e', c});
    if (is_plainly_nfc(text)) {
      ASSERT_EQ(to_nfc(text), text) << static_cast<unsigned>(c);
    }
  }
  EXPECT_TRUE(is_plainly_nfc("na\xC3\xAFve"));
  EXPECT_FALSE(is_plainly_nfc(utf8(U"e\u0301")));
}

TEST(Nfc, a_composed_pair_decomposes_into_itself) {
  std::size_t composed = 0;
  for (char32_t c = 0; c <= 0x10FFFF; ++c) {
    if (c >= 0xD800 && c < 0xE000) continue;
    const auto parts = decomposition_of(c);
    if (parts.empty()) continue;
    const std::string text = utf8(std::u32string_view(parts.data(), parts.size()));
    const std::string one = to_nfc(utf8(std::u32string(1, c)));
    ASSERT_EQ(to_nfc(text), one) << static_cast<unsigned>(c);
    if (one == utf8(std::u32string(1, c))) ++composed;
  }
  EXPECT_EQ(composed, 940u);
}

}  // namespace
}  // namespace assay::tokenizer::test
