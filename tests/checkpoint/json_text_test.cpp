// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this file a hostile JSON could overflow the stack or fill the memory, and a message could
// carry bytes that break the report which quotes it.
#include "runtime/checkpoint/json_text.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/checkpoint/complaint.h"
#include "tests/checkpoint/trap_files.h"

namespace assay::checkpoint {
namespace {

using test::expect_complaint;
using ::testing::EndsWith;
using ::testing::HasSubstr;

const std::filesystem::path text_name = "f.json";

TEST(JsonText, builds_the_tree_that_the_text_says) {
  const std::string text = R"({"a":[1,-2,2.5,true,null,"x",[]],"b":{"c":{}},"d":[{"e":[0]},"f"]})";
  const auto tree = parse_json(text, text_name);
  ASSERT_TRUE(tree) << tree.error().message;
  EXPECT_EQ(*tree, nlohmann::json::parse(text));
}

TEST(JsonText, takes_the_deepest_nesting_allowed_and_nothing_deeper) {
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  EXPECT_TRUE(parse_json(nested(32), text_name));
  const auto deeper = parse_json(nested(33), text_name);
  ASSERT_FALSE(deeper);
  expect_complaint(deeper.error(), error_kind::unusable_input, "f.json", "", "deeper than 32");
}

TEST(JsonText, refuses_ten_million_levels_before_it_has_read_them) {
  std::string objects;
  for (int i = 0; i < 2'000'000; ++i) objects += R"({"a":)";
  for (const std::string& text : {std::string(10'000'000, '['), objects}) {
    const auto tree = parse_json(text, text_name);
    ASSERT_FALSE(tree);
    EXPECT_THAT(tree.error().message, HasSubstr("deeper than 32"));
  }
}

TEST(JsonText, counts_values_against_the_limit) {
  const json_limits limits{.depth = 4, .values = 4};
  EXPECT_TRUE(parse_json("[1,2,3]", text_name, limits));
  const auto larger = parse_json("[1,2,3,4]", text_name, limits);
  ASSERT_FALSE(larger);
  expect_complaint(larger.error(), error_kind::unusable_input, "f.json", "", "one value more");
}

TEST(JsonText, refuses_a_key_that_stands_twice) {
  const auto tree = parse_json(R"({"a":1,"b":{"a":2},"a":3})", text_name);
  ASSERT_FALSE(tree);
  expect_complaint(tree.error(), error_kind::unusable_input, "f.json", "a", "stands twice");
  EXPECT_TRUE(parse_json(R"([{"a":1},{"a":2},{"b":{"a":1}}])", text_name));
}

TEST(JsonText, refuses_bytes_that_are_not_utf8) {
  for (const char* text : {"{\"a\":\"\xff\"}", "{\"\xc3\x28\":1}", "\"\xed\xa0\x80\""}) {
    const auto tree = parse_json(text, text_name);
    ASSERT_FALSE(tree) << text;
    expect_complaint(tree.error(), error_kind::unusable_input, "f.json", "line 1",
                     "not valid JSON");
  }
}

TEST(JsonText, refuses_text_behind_the_value_and_numbers_beyond_double) {
  for (const char* text : {"{} {}", "1e999", "[1,]", "nul", "NaN", "{\"a\":1"}) {
    const auto tree = parse_json(text, text_name);
    ASSERT_FALSE(tree) << text;
    expect_complaint(tree.error(), error_kind::unusable_input, "f.json", "line 1",
                     "not valid JSON");
  }
}

// The parser takes a NUL for the text's end; what lies behind it would be read by others only.
TEST(JsonText, refuses_a_nul_byte_wherever_it_stands) {
  for (const std::string_view text :
       {std::string_view("{}\0", 3), std::string_view("{}\0{\"a\":1}", 10),
        std::string_view("\0{}", 3)}) {
    const auto tree = parse_json(text, text_name);
    ASSERT_FALSE(tree);
    expect_complaint(tree.error(), error_kind::unusable_input, "f.json", "line 1",
                     "not valid JSON");
  }
}

TEST(JsonText, names_the_part_of_the_file_that_it_read) {
  const auto tree = parse_json("{", text_name, {}, "header");
  ASSERT_FALSE(tree);
  expect_complaint(tree.error(), error_kind::unusable_input, "f.json", "header, line 1", "JSON");
}

TEST(JsonText, shows_a_large_value_cut) {
  const std::string line = shown(nlohmann::json(std::string(500, 'x')));
  EXPECT_THAT(line, EndsWith("..."));
  EXPECT_LT(line.size(), 70U);
}

TEST(Complaint, escapes_what_is_not_printable_and_leaves_the_rest) {
  EXPECT_EQ(printable("a b~"), "a b~");
  EXPECT_EQ(printable("\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80 \xef\xbf\xbd"),
            "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80 \xef\xbf\xbd");
  EXPECT_EQ(printable("a\nb\x7f"), R"(a\x0ab\x7f)");
  EXPECT_EQ(printable("\xc2\x85"), R"(\xc2\x85)");          // a control character, next line
  EXPECT_EQ(printable("\xc0\xaf"), R"(\xc0\xaf)");          // overlong
  EXPECT_EQ(printable("\xe0\x80\xaf"), R"(\xe0\x80\xaf)");  // overlong
  EXPECT_EQ(printable("\xed\xa0\x80"), R"(\xed\xa0\x80)");  // surrogate
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), R"(\xf4\x90\x80\x80)");  // above U+10FFFF
  EXPECT_EQ(printable("\xe2\x82"), R"(\xe2\x82)");                  // cut
  EXPECT_EQ(printable(std::string_view("\0", 1)), R"(\x00)");
}

TEST(Complaint, cuts_long_text_between_characters) {
  EXPECT_EQ(printable("abc", 3), "abc");
  EXPECT_EQ(printable("abcd", 3), "abc...");
  EXPECT_EQ(printable("ab\xe2\x82\xac", 3), "ab...");
}

TEST(Complaint, keeps_a_hostile_path_on_its_line) {
  const std::string line = complaint("a\nb\xff/config.json", "k", "is bad", "mend it");
  EXPECT_EQ(line, R"(a\x0ab\xff/config.json: k: is bad; mend it)");
}

}  // namespace
}  // namespace assay::checkpoint
