# SPDX-FileCopyrightText: The Assay authors
# SPDX-License-Identifier: Apache-2.0
"""templates_test.py ASSAY: runs what the templates of ci/templates run, with the shell and variables
that a forge gives them, in a fresh repository whose main branch has moved on since the change left it.
Without this, a template could have a flag that is no flag, compare with the tip of main, or post
nothing. What needs the net is not run: the build of assay; and `gh` is a stand-in that answers as the
interface does."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
ASSAY = os.path.abspath(sys.argv.pop(1))

BENCH = """#!/bin/sh
case "$*" in
*list_tests*) echo BM_x ;;
*) echo '{
"benchmarks": [{"name": "BM_x", "real_time": %s, "cpu_time": 1, "time_unit": "us"}]}' ;;
esac
"""

GH = """#!/bin/bash
echo "$*" >>"$ROOM/asked"
case "$*" in
*/artifacts*) echo "$ARTIFACT_SIZE" ;;
"run download"*) cp -P "$ROOM/artifact/samples.jsonl" log/ ;;
*"--method P"*) cp comment.md "$ROOM/posted.md" ;;
*/pulls*) echo 7 ;;
*/comments*) echo "$COMMENT_ID" ;;
*) exit 1 ;;
esac
"""


def steps(name):
    """The steps of a GitHub workflow: name and shell text, in order."""
    with open(os.path.join(ROOT, "ci/templates", name), encoding="utf-8") as file:
        text = file.read()
    found = {}
    for part in re.split(r"^      - ", text, flags=re.MULTILINE)[1:]:
        run = re.search(r"^        run: \|\n((?:          .*\n|\n)+)", part, flags=re.MULTILINE)
        title = re.match(r"name: (.*)\n", part)
        if run and title:
            found[title.group(1)] = re.sub(r"^          ", "", run.group(1), flags=re.MULTILINE)
    return found


def gitlab_lines():
    with open(os.path.join(ROOT, "ci/templates/gitlab-compare.yml"), encoding="utf-8") as file:
        script = re.search(r"^  script:\n((?:    .*\n)+)", file.read(), flags=re.MULTILINE).group(1)
    # A plain scalar goes on in the next line, and the line break is a space.
    return [re.sub(r"\s*\n\s*", " ", line).strip()
            for line in re.split(r"^    - ", script, flags=re.MULTILINE)[1:]]


def quick(command):
    """A budget that ends with the fewest pairs that say anything."""
    assert "--budget 15m" in command
    return command.replace("--budget 15m", "--budget 8s")


class TemplatesTest(unittest.TestCase):
    def setUp(self):
        self.room = tempfile.mkdtemp(prefix="assay-templates-")
        self.addCleanup(shutil.rmtree, self.room)
        self.env = {"PATH": f"{self.room}/bin:{os.environ['PATH']}", "HOME": self.room,
                    "ROOM": self.room, "RUNNER_TEMP": self.room, "REPOSITORY": "o/r", "RUN_ID": "12"}
        for author in ("AUTHOR", "COMMITTER"):
            self.env |= {f"GIT_{author}_NAME": "a", f"GIT_{author}_EMAIL": "a@b.c"}
        os.makedirs(f"{self.room}/bin")
        os.makedirs(f"{self.room}/assay/build/default")
        for place in ("bin/assay", "assay/build/default/assay"):
            os.symlink(ASSAY, f"{self.room}/{place}")
        self.write("bin/gh", GH, 0o755)
        self.make_repository()

    def write(self, name, text, mode=0o644):
        path = os.path.join(self.room, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path, mode)

    def shell(self, text, folder, wanted=(0,), **env):
        # Without pipefail, as a step that names no shell gets it.
        done = subprocess.run(["bash", "--noprofile", "--norc", "-e", "-c", text],
                              cwd=os.path.join(self.room, folder), env=self.env | env, text=True,
                              capture_output=True, check=False)
        self.assertIn(done.returncode, wanted, f"{text}\n{done.stdout}\n{done.stderr}")
        return done.stdout.strip()

    def make_repository(self):
        """The change makes a benchmark slower; main, since, makes it twice as slow."""
        self.write("origin/bench.in", BENCH % 100)
        self.write("origin/assay-compare.json",
                   '{"build": "cp bench.in bench && chmod +x bench", "benchmark": "bench"}')
        self.shell("git init -q -b main . && git add -A && git commit -q -m one", "origin")
        self.left = self.shell("git rev-parse HEAD", "origin")
        self.write("origin/bench.in", BENCH % 150)
        self.shell("git checkout -q -b change && git commit -q -a -m two", "origin")
        self.head = self.shell("git rev-parse HEAD", "origin")
        self.shell("git checkout -q main", "origin")
        self.write("origin/bench.in", BENCH % 200)
        self.shell("git commit -q -a -m three", "origin")
        self.tip = self.shell("git rev-parse HEAD", "origin")
        # As actions/checkout leaves it: all of the history, and no branch.
        self.shell("git clone -q origin work && cd work && git checkout -q --detach origin/change", ".")

    def check_log(self):
        with open(f"{self.room}/work/samples.jsonl", encoding="utf-8") as file:
            facts = {fact["name"]: fact["value"] for fact in json.loads(file.readline())["facts"]}
        self.assertEqual(facts["base commit"], self.left)
        self.assertEqual(facts["head commit"], self.head)

    # A verdict: in so short a time, and on a machine at work, any of them.
    def test_github_measures_against_the_merge_base_and_posts_one_comment(self):
        self.shell(quick(steps("github-compare.yml")["compare with the merge-base"]), "work", (0, 1, 4),
                   BASE_SHA=self.tip, HEAD_SHA=self.head)
        self.check_log()
        self.assertTrue(os.path.getsize(f"{self.room}/work/comparison.xml") > 0)
        os.makedirs(f"{self.room}/artifact")
        shutil.copy(f"{self.room}/work/samples.jsonl", f"{self.room}/artifact/")
        comment = steps("github-comment.yml")
        self.assertEqual(list(comment),
                         ["build assay", "fetch the log", "judge and render", "write the one comment"])
        for number, (known, method) in enumerate((("", "POST repos/o/r/issues/7/comments"),
                                                  ("55", "PATCH repos/o/r/issues/comments/55"))):
            folder = f"privileged-{number}"
            os.makedirs(f"{self.room}/{folder}")
            for name in list(comment)[1:]:
                self.shell(comment[name], folder, ARTIFACT_SIZE="1000", COMMENT_ID=known,
                           HEAD_SHA=self.head)
            with open(f"{self.room}/posted.md", encoding="utf-8") as file:
                posted = file.read()
            os.remove(f"{self.room}/posted.md")
            self.assertTrue(posted.startswith("<!-- assay-compare -->"), posted[:200])
            self.assertIn("BM_x", posted.replace("\\", ""))
            self.assertIn("+50.0 %", posted)
            with open(f"{self.room}/asked", encoding="utf-8") as file:
                self.assertIn(f"--method {method} --field body=@comment.md", file.read())

    def test_github_refuses_a_log_that_is_too_large_or_no_file(self):
        fetch = steps("github-comment.yml")["fetch the log"]
        os.makedirs(f"{self.room}/artifact")
        os.symlink("/etc/hostname", f"{self.room}/artifact/samples.jsonl")
        for folder, size in (("large", "20000001"), ("none", ""), ("link", "1000")):
            os.makedirs(f"{self.room}/{folder}")
            self.shell(fetch, folder, (1,), ARTIFACT_SIZE=size, HEAD_SHA=self.head)

    def test_gitlab_measures_against_the_merge_base(self):
        lines = [line for line in gitlab_lines() if " compare " in line]
        self.assertEqual(len(lines), 1)
        self.shell(quick(lines[0].replace("/tmp/assay/", f"{self.room}/assay/")), "work", (0, 1, 4),
                   CI_MERGE_REQUEST_DIFF_BASE_SHA=self.left, CI_COMMIT_SHA=self.head)
        self.check_log()
        for name in ("comparison.md", "comparison.xml"):
            self.assertTrue(os.path.getsize(f"{self.room}/work/{name}") > 0)


if __name__ == "__main__":
    unittest.main()
