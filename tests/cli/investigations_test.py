# SPDX-FileCopyrightText: The Assay authors
# SPDX-License-Identifier: Apache-2.0
"""Without this, the one command under an investigation could stop working, or show something else
than its page says. investigations_test.py ASSAY FOLDER"""
import json
import os
import re
import subprocess
import sys
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
ASSAY, FOLDER = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])


def run(name, *more):
    folder = os.path.join(FOLDER, name)
    done = subprocess.run([os.path.join(ROOT, "docs/investigations", name + ".sh"), ASSAY, folder,
                           *more], capture_output=True, text=True, check=False)
    return done, folder


class InvestigationsTest(unittest.TestCase):
    def test_the_enqueue_timer_is_found_and_is_far_from_the_records(self):
        done, folder = run("enqueue-timed-transfer")
        self.assertEqual(done.returncode, 0, done.stderr)
        row = re.search(r"\| stops when .* \| (\d+\.\d+) ms .* \| disagree \|", done.stdout)
        records = re.search(r"\| the device's records \| (\d+\.\d+) ms", done.stdout)
        self.assertLess(2 * float(row.group(1)), float(records.group(1)), done.stdout)
        self.assertRegex(done.stdout, r"the liar's trace: R01")
        self.assertIn("0 of 134 exact amounts and 0 of 18 times differ", done.stdout)
        with open(os.path.join(folder, "lying.html"), encoding="utf-8") as page:
            self.assertRegex(page.read(), r'notice warning">FOUND by the audit, .*R01 ENQUEUE_TIMED')
        with open(os.path.join(folder, "difference.json"), encoding="utf-8") as file:
            self.assertEqual(json.load(file)["token_ids"], "same")

    def test_a_larger_budget_moves_the_count_and_not_the_bytes(self):
        done, _ = run("residency-budget", "1")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("| 33,838,144 B | 0 B | 0.00 % | 0.000 % | 6,951,936 B |", done.stdout)
        self.assertIn("| 33,854,528 B | 5,120 B | 36.96 % | 0.074 % | 6,946,816 B |", done.stdout)
        self.assertIn("bytes paged in: -0.074 %, token ids same", done.stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
