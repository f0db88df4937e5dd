// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this, broken bytes could be replaced by more or fewer U+FFFD than the reference receives,
// and a byte of text could be lost at an edge.
#include "runtime/tokenizer/utf8.h"

#include "runtime/tokenizer/byte_alphabet.h"
#include "tests/tokenizer/embedded.h"

#include <set>

namespace assay::tokenizer::test {
namespace {

using namespace std::string_literals;

TEST(Utf8, every_scalar_value_survives_writing_and_reading) {
  for (char32_t c = 0; c <= 0x10FFFF; ++c) {
    if (c >= 0xD800 && c < 0xE000) continue;
    std::string text;
    append_scalar(c, text);
    const utf8_scalar back = scalar_at(text, 0);
    ASSERT_EQ(back.state, utf8_state::whole) << static_cast<unsigned>(c);
    ASSERT_EQ(back.value, c);
    ASSERT_EQ(back.byte_count, text.size());
    ASSERT_EQ(scalar_before("a" + text, text.size() + 1).value, c);
  }
}

// One U+FFFD for each maximal subpart. The expected texts are those of Buffer.toString() in Node,
// which follows the WHATWG standard.
TEST(Utf8, malformed_bytes_become_one_replacement_for_each_maximal_subpart) {
  const std::string r = "\xEF\xBF\xBD";
  const std::pair<std::string, std::string> cases[] = {
      {"a\x80z", "a" + r + "z"},
      {"\xC0\xAF", r + r},
      {"\xC3(", r + "("},
      {"\xE2\x82(", r + "("},
      {"\xE2\x28\xA1", r + "(" + r},
      {"\xED\xA0\x80", r + r + r},
      {"\xE0\x80\xAF", r + r + r},
      {"\xF0\x9F\x98", r},
      {"\xF0\x9F\x98z", r + "z"},
      {"\xF0\x80\x80\x80", r + r + r + r},
      {"\xF4\x90\x80\x80", r + r + r + r},
      {"\xF5\x80", r + r},
      {"\xFE\xFF", r + r},
      {"\xF1\x80\xE1\x80\xC2\x62", r + r + r + "b"},
      {"\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41", r + r + r + r + "A"},
  };
  for (const auto& [bytes, text] : cases) {
    EXPECT_EQ(with_replacements(bytes), text)
        << nlohmann::json::binary({bytes.begin(), bytes.end()});
    EXPECT_FALSE(is_valid_utf8(bytes));
    EXPECT_TRUE(is_valid_utf8(with_replacements(bytes)));
    EXPECT_EQ(micro_qwen3().encode(bytes), micro_qwen3().encode(text));
  }
}

TEST(Utf8, a_sequence_that_could_go_on_is_cut_and_not_malformed) {
  EXPECT_EQ(scalar_at("\xF0\x9F\x98"s, 0).state, utf8_state::cut);
  EXPECT_EQ(scalar_at("\xC3"s, 0).state, utf8_state::cut);
  EXPECT_EQ(scalar_at("\xED\xA0"s, 0).state, utf8_state::malformed);
  EXPECT_EQ(scalar_at("\xF4\x90"s, 0).state, utf8_state::malformed);
  EXPECT_EQ(scalar_at("\xC1"s, 0).state, utf8_state::malformed);
}

TEST(ByteAlphabet, the_256_characters_are_distinct_and_lead_back) {
  std::set<char32_t> seen;
  for (unsigned byte = 0; byte < 256; ++byte) {
    const char32_t c = character_of(static_cast<std::uint8_t>(byte));
    EXPECT_TRUE(seen.insert(c).second);
    EXPECT_EQ(byte_of(c), static_cast<std::uint8_t>(byte));
  }
  EXPECT_EQ(character_of(' '), 0x120u);
  EXPECT_EQ(character_of('\n'), 0x10Au);
  EXPECT_FALSE(byte_of(U' '));
  EXPECT_FALSE(byte_of(0x144));
  EXPECT_FALSE(spelled_bytes("a b"));
  EXPECT_EQ(spelled_bytes("\xC4\xA0"
                          "a"),
            " a");
}

}  // namespace
}  // namespace assay::tokenizer::test
