# SPDX-FileCopyrightText: The Assay authors
# SPDX-License-Identifier: Apache-2.0
"""Without this, a header could say `timeout` and leave ms or s to a guess."""
import unittest

from small_tree import LintTest

import names


class NamesTest(LintTest):
    def test_each_bare_name_is_red(self):
        for declared in ("std::int64_t duration = 0;", "void wait(int timeout);",
                         "double threshold;", "std::chrono::seconds elapsed() const;",
                         "const int& duration;", "std::vector<int> timeout{};",
                         "int elapsed_ = 0;", "void f(long duration, int x);"):
            self.write("a.h", f"// SPDX\nstruct s {{ {declared} }};\n")
            self.assert_red(names, "a.h:2", "says no unit")

    def test_a_unit_a_comment_an_enumerator_and_a_source_file_are_clean(self):
        self.write("a.h", "// a duration is said; int timeout;\nint duration_ns = 0;\n"
                   "enum class kind { count,\n  duration,\n  ratio };\n"
                   "bool b = k == kind::duration;\ndouble threshold_ratio;\n"
                   'const char* s = "int timeout;";\n')
        self.write("a.cpp", "int timeout;\n")
        self.assert_clean(names)


if __name__ == "__main__":
    unittest.main()
