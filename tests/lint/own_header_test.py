# SPDX-FileCopyrightText: The Assay authors
# SPDX-License-Identifier: Apache-2.0
"""Without this, a header that needs what its readers happen to include could stay unnoticed: the
build compiles only those on their own that have no source."""
import unittest

from small_tree import LintTest

import own_header


class OwnHeaderTest(LintTest):
    def test_another_header_first_is_red(self):
        self.write("a/b.h", "")
        for first in ("<vector>", '"a/c.h"', '"b.h"'):
            self.write("a/b.cpp", f'// SPDX\n#include {first}\n#include "a/b.h"\n')
            self.assert_red(own_header, "a/b.cpp:2", "a/b.h")

    def test_a_comment_is_no_include(self):
        self.write("a/b.h", "")
        self.write("a/b.cpp", '// #include "a/b.h"\n#include <vector>\n')
        self.assert_red(own_header, "a/b.cpp:2")
        self.write("a/b.cpp", "int x;\n")
        self.assert_red(own_header, "a/b.cpp:1")

    def test_its_own_header_first_and_a_source_without_one_are_clean(self):
        self.write("a/b.h", "")
        self.write("a/b.cpp", '// SPDX\n#include "a/b.h"\n\n#include <vector>\n')
        self.write("a/main.cpp", "#include <vector>\n")
        self.assert_clean(own_header)


if __name__ == "__main__":
    unittest.main()
