# SPDX-FileCopyrightText: The Assay authors
# SPDX-License-Identifier: Apache-2.0
"""Without this, the count of a function's lines could stop at its first inner brace and never be
above the limit."""
import unittest

from small_tree import LintTest

import sizes


def function(lines, opening="int f(int x) {"):
    return "\n".join([opening, *["  x += 1;"] * (lines - 2), "}"]) + "\n"


class SizesTest(LintTest):
    def test_a_file_of_500_lines_is_clean_and_of_501_red(self):
        self.write("a.h", "//\n" * 500)
        self.assert_clean(sizes)
        self.write("a.h", "//\n" * 501)
        self.assert_red(sizes, "a.h", "501")

    def test_an_allowed_file_is_clean_and_needs_a_reason(self):
        self.write("a.h", "//\n" * 501)
        self.write(sizes.ALLOWLIST, "# comment\na.h one table, a row a line\n")
        self.assert_clean(sizes)
        self.write(sizes.ALLOWLIST, "a.h\n")
        self.assert_red(sizes, "no reason")

    def test_an_allowance_for_a_file_that_is_gone_is_red(self):
        self.write(sizes.ALLOWLIST, "gone.h some reason\n")
        self.assert_red(sizes, "gone.h does not exist")

    def test_a_function_of_60_lines_is_clean_and_of_61_red(self):
        self.write("a.cpp", function(60))
        self.assert_clean(sizes)
        self.write("a.cpp", "namespace a {\n" + function(61) + "}  // namespace a\n")
        self.assert_red(sizes, "a.cpp:2", "f has 61 lines")

    def test_an_allowed_function_is_clean(self):
        self.write("a.cpp", function(61))
        self.write(sizes.ALLOWLIST, "a.cpp:f a state machine that reads better whole\n")
        self.assert_clean(sizes)

    def test_inner_braces_do_not_end_a_function(self):
        inner = "\n".join(["  if (x) {", "    x = 1;", "  }"] * 30)
        self.write("a.cpp", "void f(int x) {\n" + inner + "\n}\n")
        self.assert_red(sizes, "f has 92 lines")

    def test_members_constructors_and_tests_are_functions_and_classes_are_not(self):
        member = function(61, "  bool member(int x) const noexcept override {")
        self.write("a.h", "class c : public base<int> {\n public:\n" + member + "};\n")
        self.assert_red(sizes, "member has 61 lines")
        self.write("a.h", function(61, "c::c(int x) : x_(x), y_{x} {"))
        self.assert_red(sizes, "has 61 lines")
        self.write("a.h", function(61, "TEST(Suite, name) {"))
        self.assert_red(sizes, "TEST has 61 lines")
        self.write("a.h", "struct s {\n" + "  int x;\n" * 100 + "};\n"
                   "enum class e : int {\n" + "  x,\n" * 100 + "};\n"
                   "constexpr int table[] = {\n" + "  1,\n" * 100 + "};\n")
        self.assert_clean(sizes)

    def test_braces_in_strings_comments_and_macros_do_not_count(self):
        self.write("a.cpp", '// {\nconst char* s = "{";\nchar c = \'{\';\n'
                   "#define BEGIN {\nauto r = R\"({)\";\n" + "int x;\n" * 70)
        self.assert_clean(sizes)

    def test_a_kernel_may_have_100_lines(self):
        self.write("a.cu", function(100))
        self.assert_clean(sizes)
        self.write("a.cu", function(101))
        self.assert_red(sizes, "at most 100")


if __name__ == "__main__":
    unittest.main()
