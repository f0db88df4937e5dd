# SPDX-FileCopyrightText: The Assay authors
# SPDX-License-Identifier: Apache-2.0
"""verb_test.py PROGRAM: without this, assay guard could end with 0 where it found something, write a
result that its schema does not know, or take a contract that nobody can keep."""
import json
import os
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "reports"))
import validate  # noqa: E402

FIXTURES = os.path.join(HERE, "..", "fixtures", "guard")
PROGRAM = ""


def fixture(name):
    return os.path.join(FIXTURES, name)


def guard(*arguments):
    ran = subprocess.run([PROGRAM, "guard", *arguments], capture_output=True, text=True, timeout=60)
    return ran.returncode, ran.stdout, ran.stderr


class Verb(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name, text=None):
        path = os.path.join(self.folder.name, name)
        if text is not None:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        return path

    def contract(self, *metrics, **further):
        return self.path("contract.json", json.dumps(
            {"format": "assay.guard-contract", "version": 1, "metrics": list(metrics), **further}))

    def test_found_ends_with_1_in_every_form(self):
        out, junit = self.path("out.json"), self.path("out.xml")
        code, text, error = guard("--contract", fixture("vllm.contract.json"), "--metrics",
                                  fixture("vllm.prom"), "--metrics", fixture("vllm-later.prom"),
                                  "--out-json", out, "--out-junit", junit)
        self.assertEqual((code, error), (1, ""))
        self.assertIn("never-moved", text)
        with open(out, encoding="utf-8") as file:
            report = json.load(file)
        self.assertEqual(validate.complaints(report, "guard"), [])
        self.assertEqual((report["outcome"], report["exit_code"]), ("found", 1))
        suite = xml.parse(junit).getroot().find("testsuite")
        self.assertEqual(int(suite.get("failures")), len(suite.findall("testcase/failure")))
        self.assertEqual(int(suite.get("tests")), len(suite.findall("testcase")))
        self.assertEqual(int(suite.get("failures")), 3)

    def test_a_contract_that_is_kept_ends_with_0_and_strictly_with_4(self):
        contract = self.contract({"name": "a_total", "kind": "counter", "unit": "count",
                                  "exercised": True})
        metrics = self.path("m.prom", "# TYPE a_total counter\na_total 3\n")
        self.assertEqual(guard("--contract", contract, "--metrics", metrics)[0], 0)
        self.assertEqual(guard("--contract", contract, "--metrics", metrics, "--strict")[0], 4)
        later = self.path("n.prom", "# TYPE a_total counter\na_total 4\n")
        self.assertEqual(guard("--contract", contract, "--metrics", metrics, "--metrics", later,
                               "--strict")[0], 0)

    def test_metrics_may_come_through_a_pipe(self):
        contract = self.contract({"name": "a_total", "kind": "counter", "unit": "count",
                                  "exercised": True})
        stream = "a_total 3\n# EOF\na_total %d\n# EOF\n"
        for last, wanted in ((4, 0), (3, 1)):
            ran = subprocess.run([PROGRAM, "guard", "--contract", contract, "--metrics", "-"],
                                 input=stream % last, capture_output=True, text=True, timeout=60)
            self.assertEqual(ran.returncode, wanted, ran.stderr)
            self.assertIn("standard input (snapshot 2)", ran.stdout)

    def test_what_measured_nothing_ends_with_3(self):
        contract = self.contract({"name": "a", "kind": "gauge", "unit": "none", "optional": True,
                                  "reason": "seldom"})
        metrics = self.path("m.prom", "\x01\x02 binary\n")
        code, text, _ = guard("--contract", contract, "--metrics", metrics)
        self.assertEqual(code, 3, text)
        self.assertIn("m.prom:1 holds bytes that are no text", text)
        with open("/dev/full", "w", encoding="utf-8") as full:
            ran = subprocess.run([PROGRAM, "guard", "--contract", fixture("vllm.contract.json"),
                                  "--metrics", fixture("vllm.prom")], stdout=full,
                                 stderr=subprocess.PIPE, timeout=60)
        self.assertEqual(ran.returncode, 3)

    def test_the_page_explains_every_exit_code(self):
        with open(os.path.join(HERE, "../../docs/guard.md"), encoding="utf-8") as file:
            codes = file.read().split("Exit codes:")[1].split("\n\n")[0]
        for code in ("0", "1", "2", "3", "4", "70"):
            self.assertRegex(codes, rf"(^ |· |\n){code} ")
        self.assertIn("could not be written", codes)

    def test_what_cannot_be_used_ends_with_2_and_one_line(self):
        metric = {"name": "a", "kind": "gauge", "unit": "none"}
        good = self.contract(metric)
        metrics = self.path("m.prom", "a 1\n")
        torn = self.path("torn.json", '{\n"format": "assay.guard-contract",\n"version": 1,\n'
                         '"metrics": [\n' + json.dumps(metric) + ",\n" + json.dumps(metric) + "]}")
        packed = self.path("m.gz")
        with open(packed, "wb") as file:
            file.write(b"\x1f\x8b\x08 a")
        for arguments, says in (
                ((), "contract is missing"),
                (("--contract", good), "nothing to hold"),
                (("--contract", self.path("gone.json"), "--metrics", metrics), "gone.json"),
                (("--contract", torn, "--metrics", metrics), "line 6, $.metrics[1] promises a, which line 5, $.metrics[0]"),
                (("--contract", metrics, "--metrics", metrics), "no JSON"),
                (("--contract", self.folder.name, "--metrics", metrics), "give a contract"),
                (("--contract", self.path("deep", "[" * 99), "--metrics", metrics),
                 "give a contract"),
                (("--contract", good, "--metrics", packed), "unpack"),
                (("--contract", good, "--metrics", self.folder.name), "give a file of metrics, or - for standard input"),
                (("--contract", good, "--metrics", self.path("empty", "")), "is empty"),
                (("--contract", good, "--docs", self.path("none")), "does not exist"),
                (("--contract", good, "--source", metrics), "no file of a language"),
                (("--contract", good, "--metrics", metrics, "--log-pattern", "x"), "no {name}"),
                (("--init", metrics, "--metrics", metrics), "give it alone"),
                (("--self", self.folder.name), "catalog.def")):
            code, text, error = guard(*arguments)
            self.assertEqual((code, text), (2, ""), arguments)
            self.assertEqual(error.count("\n"), 1, error)
            self.assertIn(says, error)

    def test_a_started_contract_is_kept(self):
        code, contract, error = guard("--init", fixture("llama.prom"))
        self.assertEqual((code, error), (0, ""))
        self.assertEqual(validate.complaints(json.loads(contract), "guard-contract"), [])
        path = self.path("started.json", contract)
        self.assertEqual(guard("--contract", path, "--metrics", fixture("llama.prom"))[0], 0)

    def test_the_fixtures_contracts_fit_their_schema_and_broken_ones_do_not(self):
        for name in ("vllm", "dcgm", "node", "llama"):
            with open(fixture(name + ".contract.json"), encoding="utf-8") as file:
                contract = json.load(file)
            self.assertEqual(validate.complaints(contract, "guard-contract"), [], name)
            contract["metrics"][0]["kind"] = "gage"
            self.assertNotEqual(validate.complaints(contract, "guard-contract"), [], name)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
