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


class ComparisonSchemaTest(unittest.TestCase):
    def test_a_document_from_before_a_key_was_added_fits(self):
        document = golden("comparison.doubtful.json")
        for control in document["controls"]:
            del control["unjudged"]
        self.assertEqual(document["schema_version"], 1)
        self.assertEqual(validate.complaints(document, "comparison"), [])

    def test_what_is_written_fits(self):
        for name in ("comparison.json", "comparison.doubtful.json"):
            self.assertEqual(validate.complaints(golden(name), "comparison"), [], name)

    def test_each_broken_document_is_refused(self):
        def put(part, key, value):
            part[key] = value
        breaks = {
            "a key is missing": lambda d: d.pop("rows"),
            "a key is unknown": lambda d: put(d, "verdict", "fine"),
            "word and exit code differ": lambda d: put(d, "exit_code", 0),
            "a state is unknown": lambda d: put(d["rows"][0], "state", "slower"),
            "a number is null": lambda d: put(d["rows"][0], "base", {"value": None}),
            "an absence has no reason": lambda d: put(d["rows"][0], "base", {"absence": ""}),
            "a regressed row has no number": lambda d: put(
                d["rows"][0], "head", {"absence": "lost"}),
            "an errored row has no reason": lambda d: put(d["rows"][8], "reason", ""),
            "a cut run does not say why": lambda d: put(d, "is_complete", False),
            "a contaminated run does not say by what": lambda d: put(d, "is_contaminated", True),
            "an interval has one end": lambda d: d["rows"][0]["interval"].pop("low_ratio"),
            "a state is not counted": lambda d: d["summary"].pop("errored_count"),
        }
        for what, damage in breaks.items():
            document = copy.deepcopy(golden("comparison.json"))
            damage(document)
            self.assertNotEqual(validate.complaints(document, "comparison"), [], what)


class InvestigationSchemaTest(unittest.TestCase):
    def test_what_is_written_fits(self):
        document = golden("investigation.json")
        self.assertEqual(validate.complaints(document, "investigation"), [])
        self.assertEqual(validate.complaints(document["audit"]), [])

    def test_each_broken_document_is_refused(self):
        def put(part, key, value):
            part[key] = value
        breaks = {
            "a key is missing": lambda d: d.pop("blind_spots"),
            "a key is unknown": lambda d: put(d, "verdict", "fine"),
            "word and exit code differ": lambda d: put(d, "exit_code", 0),
            "a part is missing": lambda d: d["decode"]["parts"].pop("launch_gaps_ns"),
            "the residual is missing": lambda d: d["decode"].pop("residual_ns"),
            "a part is negative": lambda d: put(d["decode"]["parts"], "h2d_ns", -1),
            "staging is neither told nor absent": lambda d: d["decode"]["staging_ns"].pop("absence"),
            "a rate is null": lambda d: put(d, "tokens_per_s", {"value": None}),
            "samples without figures": lambda d: d["latencies"][1].pop("p99_ns"),
            "no samples and no reason": lambda d: d["latencies"][0].pop("absence"),
            "unmeasured without a reason": lambda d: put(d["bandwidths"][2], "reason", ""),
            "impossible without a rate": lambda d: put(
                d["bandwidths"][1], "bytes_per_s", {"absence": "lost"}),
        }
        for what, damage in breaks.items():
            document = copy.deepcopy(golden("investigation.json"))
            damage(document)
            self.assertNotEqual(validate.complaints(document, "investigation"), [], what)


class DifferenceSchemaTest(unittest.TestCase):
    def test_what_is_written_fits(self):
        for name in ("investigation.two.json", "investigation.several.json"):
            document = golden(name)
            self.assertEqual(validate.complaints(document, "investigation_difference"), [], name)
            for side in ("first", "second"):
                self.assertEqual(validate.complaints(document[side], "investigation"), [], name)

    def test_each_broken_document_is_refused(self):
        def put(part, key, value):
            part[key] = value
        breaks = {
            "a side is missing": lambda d: d.pop("second"),
            "a verdict is unknown": lambda d: put(d["times"][0], "verdict", "slower"),
            "a time is said to be the same": lambda d: put(d["times"][0], "verdict", "same"),
            "a verdict without an interval": lambda d: put(
                d["times"][0], "interval", {"absence": "too few"}),
            "one pair of runs is called larger": lambda d: put(d["times"][0], "verdict", "larger"),
            "a side has no run": lambda d: d["runs"].pop(),
            "an interval has one end": lambda d: d["times"][0]["interval"].pop("low_ns"),
            "an amount is null": lambda d: put(d["counts"][0], "first", {"value": None}),
            "word and exit code differ": lambda d: put(d, "exit_code", 5),
        }
        for what, damage in breaks.items():
            document = copy.deepcopy(golden("investigation.two.json"))
            damage(document)
            self.assertNotEqual(
                validate.complaints(document, "investigation_difference"), [], what)


if __name__ == "__main__":
    unittest.main()
