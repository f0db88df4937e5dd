# SPDX-FileCopyrightText: The Assay authors
# SPDX-License-Identifier: Apache-2.0
"""Without this, a step could be written, praised and never run."""
import unittest

from small_tree import LintTest

import gate
import tree  # noqa: F401  what the lints share is tested through them


class GateTest(LintTest):
    def setUp(self):
        super().setUp()
        self.write(".ci/run", "exec ci/test\n")
        self.write("ci/test", "leg lint ci/lint\n")
        self.write("ci/lint", "python3 ci/lint.d/*.py\n")

    def test_scripts_that_the_gate_reaches_are_clean(self):
        self.write("ci/build", "")
        self.write("ci/lint", "ci/build default\n")
        self.assert_clean(gate)

    def test_a_script_that_nothing_runs_is_red(self):
        self.write("ci/fuzz", "")
        self.assert_red(gate, "ci/fuzz", "no step")

    def test_a_script_that_only_a_comment_names_is_red(self):
        self.write("ci/fuzz", "")
        self.write("ci/test", "leg lint ci/lint\n# ci/fuzz is slow\n")
        self.assert_red(gate, "ci/fuzz")

    def test_a_name_that_only_begins_alike_does_not_run_it(self):
        self.write("ci/test", "leg lint ci/lint.d/x\n")
        self.assert_red(gate, "ci/lint", "no step")

    def test_a_gate_that_is_missing_is_red(self):
        import os
        os.remove(os.path.join(self.root, ".ci/run"))
        self.assert_red(gate, ".ci/run: missing")

    def test_a_lint_without_a_test_is_red(self):
        self.write("ci/lint.d/words.py", "")
        self.assert_red(gate, "ci/lint.d/words.py", "no test")
        self.write("tests/lint/words_test.py", "import words\n")
        self.assert_clean(gate)

    def test_a_test_folder_that_is_not_built_is_red(self):
        self.write("tests/CMakeLists.txt", "add_subdirectory(audit)\n")
        self.write("tests/audit/CMakeLists.txt", "")
        self.assert_clean(gate)
        self.write("tests/kv/CMakeLists.txt", "")
        self.assert_red(gate, "tests/kv")


if __name__ == "__main__":
    unittest.main()
