# SPDX-FileCopyrightText: The Assay authors
# SPDX-License-Identifier: Apache-2.0
"""Without this, the XML could be text that looks like XML. A parser that is not ours reads the golden
file, which is what the code writes (golden_test.cpp)."""
import os
import unittest
import xml.etree.ElementTree as ElementTree

GOLDEN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "golden")


class JunitTest(unittest.TestCase):
    def setUp(self):
        self.suite = ElementTree.parse(os.path.join(GOLDEN, "audit.junit.xml")).find("testsuite")
        self.cases = self.suite.findall("testcase")

    def test_the_counts_are_those_of_the_elements(self):
        self.assertEqual(int(self.suite.get("tests")), len(self.cases))
        for attribute, element in (("failures", "failure"), ("errors", "error"),
                                   ("skipped", "skipped")):
            found = [c for c in self.cases if c.find(element) is not None]
            self.assertEqual(int(self.suite.get(attribute)), len(found), attribute)

    def test_no_case_stands_twice_and_each_says_what_was_seen(self):
        names = [(c.get("classname"), c.get("name")) for c in self.cases]
        self.assertEqual(len(set(names)), len(names))
        for case in self.cases:
            self.assertTrue(case.find("system-out").text.strip(), case.get("name"))

    def test_the_outcome_is_a_property(self):
        properties = {p.get("name"): p.get("value") for p in self.suite.iter("property")}
        self.assertEqual(properties["outcome"], "found")
        self.assertEqual(properties["exit_code"], "1")


if __name__ == "__main__":
    unittest.main()
