# SPDX-FileCopyrightText: The Assay authors
# SPDX-License-Identifier: Apache-2.0
"""Without this, docs/status.md could go on quoting a figure that its evidence no longer has, and
docs/failure-modes.md leave a lie out."""
import unittest

from small_tree import LintTest

import cited

HEAD = "| subsystem | shown | evidence |\n|---|---|---|\n"


class CitedTest(LintTest):
    def setUp(self):
        super().setUp()
        self.write("docs/evidence/a.md", "ratio 0.894 of it\n")
        self.write("harness/selftest/lie.cpp",
                   'table{{\n    {"enqueue timer",\n     "R01", ""},\n}};\n')
        self.modes("| R01 | `enqueue timer` |\n")
        self.status("| decode | `0.894` | [a](evidence/a.md) |\n")

    def status(self, rows):
        self.write("docs/status.md", HEAD + rows)

    def modes(self, rows):
        self.write("docs/failure-modes.md", "| rule | lie |\n|---|---|\n" + rows)

    def test_figures_that_stand_there_are_clean(self):
        self.assert_clean(cited)

    def test_a_figure_that_does_not_stand_there_is_red(self):
        self.status("| decode | `0.895` | [a](evidence/a.md) |\n")
        self.assert_red(cited, "docs/status.md:3", "`0.895` is not in evidence/a.md")

    def test_a_row_without_evidence_or_without_a_figure_is_red(self):
        for row in ("| decode | `0.894` | none |", "| decode | `0.894` | [a](evidence/gone.md) |"):
            self.status(row + "\n")
            self.assert_red(cited, "cites no file")
        self.status("| decode | fast | [a](evidence/a.md) |\n")
        self.assert_red(cited, "no `figure`")

    def test_a_lie_left_out_and_one_that_is_none_are_red(self):
        self.modes("")
        self.assert_red(cited, "the lie `enqueue timer` (R01) is missing")
        self.modes("| R01 | `enqueue timer` |\n| R02 | `other` |\n")
        self.assert_red(cited, "`other` (R02) is no planted lie")


if __name__ == "__main__":
    unittest.main()
