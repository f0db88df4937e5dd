// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this a control token could be missed, or found inside a word or a longer token, and the
// model would see its spelling where it was trained on its id.
#include "runtime/tokenizer/added_tokens.h"
#include "tests/tokenizer/embedded.h"

namespace assay::tokenizer::test {
namespace {

/// Segments as text: [id] for a token with the bytes it took, the gap itself otherwise.
std::vector<std::string> shown(const added_token_splitter& splitter, std::string_view text) {
  std::vector<std::string> out;
  for (const text_segment& s : splitter.split(text)) {
    const std::string part(text.substr(s.begin, s.end - s.begin));
    out.push_back(s.id < 0 ? part : "[" + std::to_string(s.id) + part + "]");
  }
  return out;
}

using parts = std::vector<std::string>;

added_token token(std::int32_t id, std::string content) {
  added_token out;
  out.id = id;
  out.content = std::move(content);
  return out;
}

TEST(AddedTokens, the_leftmost_then_the_longest_is_found) {
  const added_token_splitter splitter(
      {token(1, "<a>"), token(2, "<a><b>"), token(3, "b"), token(4, "<")});
  EXPECT_EQ(shown(splitter, "x<a><b>y"), (parts{"x", "[2<a><b>]", "y"}));
  EXPECT_EQ(shown(splitter, "<a><c"), (parts{"[1<a>]", "[4<]", "c"}));
  EXPECT_EQ(shown(splitter, "abab"), (parts{"a", "[3b]", "a", "[3b]"}));
  EXPECT_EQ(shown(splitter, "<a"), (parts{"[4<]", "a"}));
  EXPECT_EQ(shown(splitter, ""), (parts{}));
}

TEST(AddedTokens, a_single_word_touches_no_word_character) {
  added_token un = token(1, "un");
  un.is_single_word = true;
  const added_token_splitter splitter({un});
  EXPECT_EQ(shown(splitter, "un-un"), (parts{"[1un]", "-", "[1un]"}));
  EXPECT_EQ(shown(splitter, "unun un_ \xC3\xA9un un\xCC\x81"),
            (parts{"unun un_ \xC3\xA9un un\xCC\x81"}));
}

TEST(AddedTokens, stripping_takes_white_space_but_not_what_is_taken_already) {
  added_token left = token(1, "<l>");
  left.strips_left = true;
  added_token right = token(2, "<r>");
  right.strips_right = true;
  const added_token_splitter splitter({left, right});
  EXPECT_EQ(shown(splitter, "a \xE2\x80\xA9\t<l> b"), (parts{"a", "[1 \xE2\x80\xA9\t<l>]", " b"}));
  EXPECT_EQ(shown(splitter, "a <r> \n b"), (parts{"a ", "[2<r> \n ]", "b"}));
  EXPECT_EQ(shown(splitter, "<r>  <l>"), (parts{"[2<r>  ]", "[1<l>]"}));
}

TEST(AddedTokens, special_tokens_are_cut_out_before_the_text_is_normalised) {
  using ids = std::vector<std::int32_t>;
  // U+0338 would compose with the token's '>' if the whole text were normalised at once.
  const ids found = micro_qwen3().encode("<|im_end|>\xCC\xB8");
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found.front(), 2047);
}

}  // namespace
}  // namespace assay::tokenizer::test
