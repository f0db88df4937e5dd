# SPDX-FileCopyrightText: The Assay authors
# SPDX-License-Identifier: Apache-2.0
"""Without this, docs/howto/keep-a-history.md could show commands that do not work, and the schema of
an exported line something that is never written. Runs every command of that page with the program
given."""
import json
import os
import re
import sqlite3
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "../..")
sys.path.insert(0, os.path.join(ROOT, "tests/reports"))

import validate

PROGRAM = os.path.abspath(sys.argv.pop(1))


def commands_of_page():
    with open(os.path.join(ROOT, "docs/howto/keep-a-history.md"), encoding="utf-8") as page:
        return re.findall(r"^\$ (assay .*)$", page.read(), re.MULTILINE)


class PageTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def run_line(self, line):
        return subprocess.run(line.replace("assay", f'"{PROGRAM}"', 1), shell=True, cwd=self.folder,
                              capture_output=True, text=True, timeout=60)

    def test_every_command_runs_and_every_line_fits_the_schema(self):
        commands = commands_of_page()
        self.assertGreaterEqual(len(commands), 4)
        lines = []
        for command in commands:
            ran = self.run_line(command)
            self.assertEqual(ran.returncode, 0, f"{command}: {ran.stderr}")
            if " export " in command:
                lines += ran.stdout.splitlines()
        self.assertEqual(len(lines), 1, "one audit, added twice, is one entry")
        with open(os.path.join(self.folder, "trends.html"), encoding="utf-8") as page:
            self.assertIn("decode step: residual", page.read())
        for line in lines:
            self.assertEqual(validate.complaints(json.loads(line), "history"), [])
        broken = json.loads(lines[0])
        broken["measures"][0]["value"] = None
        self.assertNotEqual(validate.complaints(broken, "history"), [])

    def test_a_result_that_cannot_be_kept_is_printed_all_the_same(self):
        self.assertEqual(self.run_line("assay audit --history a.db --out-trace a.assay").returncode, 0)
        with sqlite3.connect(os.path.join(self.folder, "a.db")) as history:
            history.execute("ALTER TABLE facts RENAME TO gone")
        ran = self.run_line("assay audit a.assay --history a.db --commit other")
        self.assertEqual(ran.returncode, 3, ran.stderr)
        self.assertRegex(ran.stderr, r"\Aassay: [^\n]+\n\Z")
        self.assertIn("0 disagree", ran.stdout)
        self.assertEqual(len(self.run_line("assay history list --history a.db").stdout.splitlines()), 1)

    def test_what_cannot_be_read_is_one_line_and_an_exit_code(self):
        with open(os.path.join(self.folder, "text.db"), "w", encoding="utf-8") as file:
            file.write("no database" * 100)
        for where, code in (("none.db", 3), ("text.db", 2),
                            ("postgresql://assay@/x?host=/nowhere", 3)):
            ran = self.run_line(f"assay history list --history '{where}'")
            self.assertEqual(ran.returncode, code, ran.stderr)
            self.assertRegex(ran.stderr, r"\Aassay: [^\n]+\n\Z")
            self.assertEqual(ran.stdout, "")


if __name__ == "__main__":
    unittest.main()
