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

// Expected pieces: Split of tokenizers 0.23.2 with the same regex.
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

TEST(Pattern, only_the_exact_spelling_is_known) {
  for (const split_pattern& pattern : split_patterns())
    EXPECT_EQ(find_split_pattern(pattern.regex), &pattern);
  EXPECT_EQ(find_split_pattern("\\p{L}+"), nullptr);
  EXPECT_EQ(find_split_pattern(""), nullptr);
}

}  // namespace
}  // namespace assay::tokenizer::test
