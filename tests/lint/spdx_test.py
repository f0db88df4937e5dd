# SPDX-FileCopyrightText: The Assay authors
# SPDX-License-Identifier: Apache-2.0
"""Without this, a file could enter without its license."""
import unittest

from small_tree import LintTest

import spdx

LINES = "{0} SPDX-FileCopyrightText: The Assay authors\n{0} SPDX-License-Identifier: Apache-2.0\n"


class SpdxTest(LintTest):
    def test_files_with_both_lines_are_clean(self):
        self.write("a.cpp", LINES.format("//"))
        self.write("CMakeLists.txt", LINES.format("#"))
        self.write("ci/test", "#!/usr/bin/env bash\n" + LINES.format("#"))
        self.write("tests/fixtures/a.py", "")
        self.write("ci/lint.d/allowlist", "# no script\n")
        self.assert_clean(spdx)

    def test_a_file_without_them_is_red(self):
        self.write("a.cpp", "int x;\n")
        self.assert_red(spdx, "a.cpp")

    def test_one_of_the_two_is_not_enough(self):
        self.write("a.h", "// SPDX-License-Identifier: Apache-2.0\n")
        self.assert_red(spdx, "a.h", "SPDX-FileCopyrightText")

    def test_lines_further_down_do_not_open_the_file(self):
        self.write("a.h", "\n" * 5 + LINES.format("//"))
        self.assert_red(spdx, "a.h")

    def test_a_script_without_a_suffix_counts(self):
        self.write("ci/test", "#!/usr/bin/env bash\n")
        self.assert_red(spdx, "ci/test")


if __name__ == "__main__":
    unittest.main()
