# SPDX-FileCopyrightText: The Assay authors
# SPDX-License-Identifier: Apache-2.0
"""howto_test.py PROGRAM. Without this the pages under docs/howto could name files that are gone, show
a row that does not compile, or commands that do not run."""
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def page(name):
    with open(os.path.join(ROOT, "docs/howto", name), encoding="utf-8") as file:
        return file.read()


def blocks(text, language):
    """Code blocks of one language, without what they are indented by."""
    found = re.findall(rf"^( *)```{language}\n(.*?)^ *```", text, re.M | re.S)
    return ["\n".join(line[len(indent):] for line in body.splitlines()) for indent, body in found]


def words(text):
    return " ".join(text.split())


def assay(*arguments, cwd=None):
    ran = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=100,
                         cwd=cwd)
    return ran.returncode, ran.stdout, ran.stderr


class Howto(unittest.TestCase):
    def test_what_the_pages_name_is_there(self):
        for name in ("add-a-counter.md", "add-a-rule.md", "write-a-contract.md"):
            for path in re.findall(r"`((?:runtime|harness|tests|docs|ci)/[\w./-]+)`", page(name)):
                self.assertTrue(os.path.exists(os.path.join(ROOT, path)), f"{name}: {path}")

    # The row compiles because it is the catalog's own.
    def test_the_counter_of_the_page_is_a_row_of_the_catalog_and_is_listed(self):
        with open(os.path.join(ROOT, "runtime/telemetry/catalog.def"), encoding="utf-8") as file:
            catalog = words(file.read())
        rows = blocks(page("add-a-counter.md"), "cpp")
        self.assertEqual(len(rows), 1)
        self.assertIn(words(rows[0]), catalog)
        name = re.search(r'\.name = "([\w.]+)"', rows[0]).group(1)
        code, text, _ = assay("list", "counters")
        self.assertEqual(code, 0)
        self.assertIn(name + " ", text)
        with open(os.path.join(ROOT, "docs/counters.md"), encoding="utf-8") as file:
            self.assertIn(name, file.read())

    def test_the_rules_are_listed_with_what_the_page_asks_of_each(self):
        code, text, _ = assay("list", "rules")
        self.assertEqual(code, 0)
        listed = [line.split()[0] for line in text.splitlines()[1:]]
        self.assertEqual(sorted(listed), [f"R{n:02}" for n in range(1, 30)])
        self.assertEqual(assay("list", "lies")[0], 0)

    # Steps 1 to 5 of the page, on a program that counts a lookup twice.
    def test_a_contract_is_started_completed_kept_and_broken(self):
        text = page("write-a-contract.md")
        added = json.loads("{" + blocks(text, "json")[0] + "}")
        self.assertIn("assay guard --init metrics.prom > contract.json", text)
        scrape = ('# TYPE cache_total counter\ncache_total{result="hit"} %d\n'
                  'cache_total{result="miss"} %d\n# TYPE lookups_total counter\n'
                  "lookups_total %d\n# TYPE cache_hit_ratio gauge\ncache_hit_ratio %f\n")
        with tempfile.TemporaryDirectory() as folder:
            def write(name, words_of):
                with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                    file.write(words_of)

            write("metrics.prom", scrape % (3, 1, 4, 0.75))
            code, started, error = assay("guard", "--init", "metrics.prom", cwd=folder)
            self.assertEqual((code, error), (0, ""))
            contract = json.loads(started)
            contract.update(added)
            for metric in contract["metrics"]:
                if metric["name"] in ("cache_total", "lookups_total"):
                    metric["exercised"] = True
            write("contract.json", json.dumps(contract))
            write("before.prom", scrape % (3, 1, 4, 0.75))
            command = ("guard", "--contract", "contract.json", "--metrics", "before.prom",
                       "--metrics", "after.prom")
            self.assertIn("assay " + " ".join(command), text)
            write("after.prom", scrape % (9, 3, 12, 0.75))
            code, told, _ = assay(*command, "--strict", cwd=folder)
            self.assertEqual(code, 0, told)
            write("after.prom", scrape % (9, 3, 13, 0.75))
            code, told, _ = assay(*command, cwd=folder)
            self.assertEqual(code, 1, told)
            self.assertIn("balance", told)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
