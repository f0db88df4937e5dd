# SPDX-FileCopyrightText: The Assay authors
# SPDX-License-Identifier: Apache-2.0
"""Without this, a test that was never built, or that failed, could be counted among the passed in
the line that continuous integration reads."""
import os
import unittest

from small_tree import LintTest

import junit_tally

JUNIT = """<?xml version="1.0"?>
<testsuite name="x" tests="6" failures="1" disabled="1" skipped="1">
  <testcase name="a" status="run"/>
  <testcase name="b" status="run"/>
  <testcase name="c" status="fail"><failure message="no"/></testcase>
  <testcase name="d" status="disabled"><system-out>Disabled</system-out></testcase>
  <testcase name="e" status="notrun"><skipped message="SKIP_REGULAR_EXPRESSION_MATCHED"/></testcase>
  <testcase name="f" status="notrun"><skipped message="Unable to find executable"/></testcase>
</testsuite>
"""


class TallyTest(LintTest):
    def test_counts_what_ran_and_what_did_not_pass(self):
        self.write("out.xml", JUNIT)
        self.assertEqual(junit_tally.tally(os.path.join(self.root, "out.xml")), (2, 2))


if __name__ == "__main__":
    unittest.main()
