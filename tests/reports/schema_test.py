# SPDX-FileCopyrightText: The Assay authors
# SPDX-License-Identifier: Apache-2.0
"""Without this, the published schema could describe something that is never written, or allow
anything. The golden files are what the code writes (golden_test.cpp)."""
import copy
import json
import os
import unittest

import validate

GOLDEN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "golden")


def golden(name):
    with open(os.path.join(GOLDEN, name), encoding="utf-8") as file:
        return json.load(file)


class SchemaTest(unittest.TestCase):
    def test_what_is_written_fits(self):
        for name in ("audit.json", "audit.clean.json"):
            self.assertEqual(validate.complaints(golden(name)), [], name)

    def test_each_broken_document_is_refused(self):
        def drop(document, key):
            del document[key]

        def put(part, key, value):
            part[key] = value
        breaks = {
            "a key is missing": lambda d: drop(d, "outcome"),
            "a key is unknown": lambda d: put(d, "verdict", "fine"),
            "the word is not one of ours": lambda d: put(d, "outcome", "ok"),
            "word and exit code differ": lambda d: put(d, "exit_code", 0),
            "a count is negative": lambda d: put(d["summary"], "agree_count", -1),
            "a verdict is unknown": lambda d: put(d["counters"][0], "verdict", "pass"),
            "a number is null": lambda d: put(d["counters"][0], "claimed", {"value": None}),
            "a number is both there and absent": lambda d: put(
                d["counters"][0], "claimed", {"value": 1, "absence": "lost"}),
            "an absence has no reason": lambda d: put(
                d["counters"][0], "claimed", {"absence": ""}),
            "a void reference holds": lambda d: put(
                d["counters"][2]["references"][0], "holds", True),
            "an undecided counter has no reason": lambda d: put(d["counters"][2], "reason", ""),
            "a cut trace does not say why": lambda d: put(d, "is_complete", False),
            "a rule has no sample count": lambda d: drop(
                d["rules"][0], "evaluated_samples_count"),
        }
        for what, damage in breaks.items():
            document = copy.deepcopy(golden("audit.json"))
            damage(document)
            self.assertNotEqual(validate.complaints(document), [], what)


if __name__ == "__main__":
    unittest.main()
