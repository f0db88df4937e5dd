# SPDX-FileCopyrightText: The Assay authors
# SPDX-License-Identifier: Apache-2.0
"""Without this, a template could give code of a fork a token that writes, or paste what a pull request
says into a shell."""
import glob
import os
import re
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")


def templates():
    return {os.path.basename(path): open(path, encoding="utf-8").read()
            for path in glob.glob(os.path.join(ROOT, "ci/templates/*.yml"))}


def without_comments(text):
    return re.sub(r"^\s*#.*$", "", text, flags=re.MULTILINE)


class TemplatesTest(unittest.TestCase):
    def test_are_three(self):
        self.assertEqual(sorted(templates()), ["github-comment.yml", "github-compare.yml",
                                               "gitlab-compare.yml"])

    def test_none_runs_a_fork_with_rights(self):
        for name, text in templates().items():
            self.assertNotIn("pull_request_target", text, name)
        compare = without_comments(templates()["github-compare.yml"])
        self.assertIn("permissions:\n  contents: read\njobs:", compare)
        self.assertIn("persist-credentials: false", compare)
        self.assertNotIn("write", compare)

    def test_the_privileged_half_runs_nothing_of_the_pull_request(self):
        comment = without_comments(templates()["github-comment.yml"])
        self.assertNotIn("actions/checkout", comment)
        self.assertIn("workflow_run.head_sha", comment)
        self.assertIn("20000000", comment)

    def test_no_expression_is_pasted_into_a_shell(self):
        for name, text in templates().items():
            for block in re.findall(r"run: \|\n((?:          .*\n)+)", text):
                self.assertNotIn("${{", block, name)


if __name__ == "__main__":
    unittest.main()
