// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this a change could pass for code that was only moved, and its slowdown for layout; or a
// program that no compiler wrote could hang the comparison. The programs are those that the fuzzer
// begins with: two functions, a text, a table of jumps and two slots, linked in another order.
#include "harness/cli/moved_code.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

namespace assay::cli_test {
namespace {

struct two_programs {
  std::string one;
  std::string other;
};

two_programs programs_of(const std::string& name) {
  std::ifstream file(std::string(ASSAY_SOURCE_DIR) + "/tests/fuzz/corpus/moved_code/" + name,
                     std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(file), {});
  std::uint32_t first = 0;
  if (bytes.size() < sizeof first) return {};
  std::memcpy(&first, bytes.data(), sizeof first);
  const std::string rest = bytes.substr(sizeof first);
  return {rest.substr(0, first), first < rest.size() ? rest.substr(first) : std::string()};
}

bool is_moved(const std::string& name) {
  const two_programs both = programs_of(name);
  return cli::is_moved_code(both.one, both.other);
}

// With one byte of the other program changed: the nth behind where `at` stands.
bool is_moved_with(const std::string& name, const std::string& at, std::size_t nth) {
  two_programs both = programs_of(name);
  const std::size_t begin = both.other.find(at);
  EXPECT_NE(begin, std::string::npos) << at;
  both.other.at(begin + nth) ^= 1;
  return cli::is_moved_code(both.one, both.other);
}

TEST(MovedCode, is_code_in_another_order_or_elsewhere) {
  EXPECT_TRUE(is_moved("moved.bin"));
  EXPECT_TRUE(is_moved("elsewhere.bin"));
  EXPECT_TRUE(is_moved("the_same.bin"));
}

TEST(MovedCode, is_not_code_of_which_one_byte_is_another) {
  for (const char* name : {"moved.bin", "the_same.bin"}) {
    EXPECT_FALSE(is_moved_with(name, "\xc3\x90\x90", 0)) << "one function";
    EXPECT_FALSE(is_moved_with(name, "\xc3\xcc\xcc", 0)) << "the other";
    EXPECT_FALSE(is_moved_with(name, "12345678", 4)) << "an object";
    EXPECT_FALSE(is_moved_with(name, "libc.so.6", 3)) << "what it loads";
  }
}

// Constants have no names. Code that leads to one may be the same to the byte, and four bytes can
// be read one to the side, past what has changed.
TEST(MovedCode, is_not_code_of_which_one_constant_is_another) {
  for (const char* name : {"moved.bin", "the_same.bin", "elsewhere.bin"})
    for (std::size_t nth = 0; nth < 15; ++nth)
      EXPECT_FALSE(is_moved_with(name, "a text of rodat", nth)) << name << ", letter " << nth;
}

TEST(MovedCode, is_not_shown_of_what_no_linker_wrote) {
  for (const char* name : {"slot_of_itself.bin", "size_of_2_64.bin", "no_symbols.bin", "cut.bin",
                           "sections_beyond.bin", "length_beyond.bin", "origin.bin"})
    EXPECT_FALSE(is_moved(name)) << name;
}

}  // namespace
}  // namespace assay::cli_test
