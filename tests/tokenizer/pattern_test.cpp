// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this a text could be cut into other pieces than in training; most texts still round-trip
// and many keep their ids, so only rare ones would show it.
#include "runtime/tokenizer/pattern_split.h"
#include "tests/tokenizer/embedded.h"

namespace assay::tokenizer::test {
namespace {

using pieces = std::vector<std::string>;

pieces cut(std::string_view name, std::string_view text) {
  for (const split_pattern& pattern : split_patterns()) {
    if (pattern.name != name) continue;
    pieces out;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = pattern.piece_end(text, at);
      if (end <= at || end > text.size()) throw std::logic_error("a piece does not end");
      out.emplace_back(text.substr(at, end - at));
      at = end;
    }
    return out;
  }
  throw std::logic_error("no such pattern");
}

// Expected pieces, here and below: Split of tokenizers 0.23.2 with the same regex.
TEST(Pattern, qwen_cuts_as_the_reference) {
  EXPECT_EQ(cut("qwen", "he's HE'S 'sa"), (pieces{"he", "'s", " HE", "'S", " '", "sa"}));
  EXPECT_EQ(cut("qwen", "'sa'rex'llx"), (pieces{"'s", "a", "'re", "x", "'ll", "x"}));
  EXPECT_EQ(cut("qwen",
                "he'\xC5\xBF"
                "a"),
            (pieces{"he", "'\xC5\xBF", "a"}));
  EXPECT_EQ(cut("qwen", "a'v b'"), (pieces{"a", "'v", " b", "'"}));
  EXPECT_EQ(cut("qwen", "1234"), (pieces{"1", "2", "3", "4"}));
  EXPECT_EQ(cut("qwen", "a  b"), (pieces{"a", " ", " b"}));
  EXPECT_EQ(cut("qwen", "a   "), (pieces{"a", "   "}));
  EXPECT_EQ(cut("qwen", "a   1"), (pieces{"a", "  ", " ", "1"}));
  EXPECT_EQ(cut("qwen", " \n \n  x"), (pieces{" \n \n", " ", " x"}));
  EXPECT_EQ(cut("qwen", "!?\r\n\n x"), (pieces{"!?\r\n\n", " x"}));
  EXPECT_EQ(cut("qwen", " !! \n"), (pieces{" !!", " \n"}));
  EXPECT_EQ(cut("qwen", "\tword"), (pieces{"\tword"}));
  EXPECT_EQ(cut("qwen", "\nword"), (pieces{"\n", "word"}));
  EXPECT_EQ(cut("qwen", "\t!"), (pieces{"\t", "!"}));
  EXPECT_EQ(cut("qwen", "a_b"), (pieces{"a", "_b"}));
  EXPECT_EQ(cut("qwen", "\xC2\xA0x"), (pieces{"\xC2\xA0x"}));
}

TEST(Pattern, llama_3_takes_three_digits) {
  EXPECT_EQ(cut("llama-3", "1234567 8"), (pieces{"123", "456", "7", " ", "8"}));
  EXPECT_EQ(cut("llama-3", "he's"), (pieces{"he", "'s"}));
}

TEST(Pattern, o200k_ends_words_where_the_case_falls_back) {
  EXPECT_EQ(cut("o200k", "fooBar HTTPServer iOS"),
            (pieces{"foo", "Bar", " HTTPServer", " i", "OS"}));
  EXPECT_EQ(cut("o200k", "\xC7\x85X\xC7\x85x"), (pieces{"\xC7\x85X\xC7\x85x"}));  // titlecase
  EXPECT_EQ(cut("o200k",
                "A\xCA\xB0"
                "BC b\xCA\xB0"
                "B"),  // U+02B0 is in both classes
            (pieces{"A\xCA\xB0", "BC", " b\xCA\xB0", "B"}));
  EXPECT_EQ(cut("o200k",
                "\xE4\xB8\xAD"
                "A\xE4\xB8\xAD"
                "b"),
            (pieces{"\xE4\xB8\xAD"
                    "A\xE4\xB8\xAD"
                    "b"}));
}

TEST(Pattern, o200k_takes_a_contraction_along) {
  EXPECT_EQ(cut("o200k", "he's WE'LL x'\xC5\xBF"), (pieces{"he's", " WE'LL", " x'\xC5\xBF"}));
  EXPECT_EQ(cut("o200k", "'s 'x 1's"), (pieces{"'s", " '", "x", " ", "1", "'s"}));
  EXPECT_EQ(cut("o200k", "a'sb'd'd"), (pieces{"a's", "b'd", "'d"}));
}

TEST(Pattern, o200k_marks_lead_and_are_words) {
  EXPECT_EQ(cut("o200k",
                "\xCC\x81"
                "AB"),
            (pieces{"\xCC\x81", "AB"}));
  EXPECT_EQ(cut("o200k",
                "\xCC\x81"
                "Ab"),
            (pieces{"\xCC\x81"
                    "Ab"}));
  EXPECT_EQ(cut("o200k", ".\xCC\x81 ..\xCC\x81"), (pieces{".\xCC\x81", " ..\xCC\x81"}));
  EXPECT_EQ(cut("o200k",
                "1\xCC\x81"
                "2"),
            (pieces{"1", "\xCC\x81", "2"}));
}

TEST(Pattern, o200k_takes_three_digits_and_slashes_behind_symbols) {
  EXPECT_EQ(cut("o200k", "1234 5"), (pieces{"123", "4", " ", "5"}));
  EXPECT_EQ(cut("o200k", "a/b !\n/\r\n/x"), (pieces{"a", "/b", " !\n/\r\n/", "x"}));
  EXPECT_EQ(cut("o200k", "a \n\n  b\tC"), (pieces{"a", " \n\n", " ", " b", "\tC"}));
}

TEST(Pattern, gpt_2_cuts_as_the_reference) {
  EXPECT_EQ(cut("gpt-2", "he's HE'S"), (pieces{"he", "'s", " HE", "'", "S"}));
  EXPECT_EQ(cut("gpt-2", "a 1234\t12"), (pieces{"a", " 1234", "\t", "12"}));
  EXPECT_EQ(cut("gpt-2", "x!!\n\n  y"), (pieces{"x", "!!", "\n\n ", " y"}));
  EXPECT_EQ(cut("gpt-2", "a\n b  "), (pieces{"a", "\n", " b", "  "}));
}

TEST(Pattern, only_the_exact_spelling_is_known) {
  for (const split_pattern& pattern : split_patterns())
    EXPECT_EQ(find_split_pattern(pattern.regex), &pattern);
  EXPECT_EQ(find_split_pattern("\\p{L}+"), nullptr);
  EXPECT_EQ(find_split_pattern(""), nullptr);
}

}  // namespace
}  // namespace assay::tokenizer::test
