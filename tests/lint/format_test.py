# SPDX-FileCopyrightText: The Assay authors
# SPDX-License-Identifier: Apache-2.0
"""Without this, ci/format --check could look at no file and call the tree formatted."""
import os
import shutil
import subprocess
import unittest

from small_tree import ROOT, LintTest


class FormatTest(LintTest):
    def setUp(self):
        super().setUp()
        for path in ("ci/format", "ci/lint.d/tree.py", ".clang-format"):
            os.makedirs(os.path.join(self.root, os.path.dirname(path)), exist_ok=True)
            shutil.copy(os.path.join(ROOT, path), os.path.join(self.root, path))

    def run_format(self, *arguments):
        return subprocess.run([os.path.join(self.root, "ci/format"), *arguments],
                              cwd="/", capture_output=True, text=True)

    def test_check_is_red_on_a_badly_formatted_file_and_format_mends_it(self):
        self.write("runtime/a.h", "int  f( int x );\n")
        self.write("build/default/generated.h", "int  f( int x );\n")
        red = self.run_format("--check")
        self.assertNotEqual(red.returncode, 0)
        self.assertIn("a.h", red.stderr)
        self.assertNotIn("generated.h", red.stderr)
        self.assertEqual(self.run_format().returncode, 0)
        self.assertEqual(self.run_format("--check").returncode, 0)


if __name__ == "__main__":
    unittest.main()
