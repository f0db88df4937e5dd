# SPDX-FileCopyrightText: The Assay authors
# SPDX-License-Identifier: Apache-2.0
"""What exists runs: every script of ci/ is called from the gate, .ci/run, directly or through
another, or is listed here with the reason; every lint has a test; every tests/ folder is built."""
import os
import re

import tree

GATE = ".ci/run"
NOT_STEPS = {
    "ci/audit": "the user's command; tests/cli runs the program that it builds",
    "ci/corpus": "the user's command; the audit room's test does the same with what is built",
    "ci/campaign": "minutes of measurement that leave evidence; nothing to pass or fail",
    "ci/gpu": "needs a GPU, which CI has not; the cuda leg builds what it runs, and skips show there",
    "ci/bless": "rewrites golden files; the golden tests are the step",
}


def check(root):
    return [*check_scripts(root), *check_lints(root), *check_test_folders(root)]


def check_scripts(root):
    scripts = {path for path in tree.files(root)
               if path.startswith("ci/") and path.count("/") == 1}
    if not os.path.isfile(os.path.join(root, GATE)):
        return [f"{GATE}: missing, and it is the gate"]
    reached, open_ends = set(), [GATE]
    while open_ends:
        text = tree.text_of(root, open_ends.pop())
        text = re.sub(r"^\s*#.*", "", text, flags=re.MULTILINE)
        called = {path for path in scripts - reached
                  if re.search(rf"(?<![\w]){re.escape(path)}(?![\w./-])", text)}
        reached |= called
        open_ends += called
    return [f"{path}: no step of {GATE} runs it" for path in sorted(scripts - reached)
            if path not in NOT_STEPS]


def check_lints(root):
    tests = "".join(tree.text_of(root, path) for path in tree.files(root)
                    if path.startswith("tests/lint/") and path.endswith(".py"))
    return [f"{path}: no test in tests/lint imports it" for path in tree.files(root)
            if path.startswith("ci/lint.d/") and path.endswith(".py")
            and not re.search(rf"\b{os.path.basename(path)[:-3]}\b", tests)]


def check_test_folders(root):
    listing = "tests/CMakeLists.txt"
    if not os.path.isfile(os.path.join(root, listing)):
        return []
    built = set(re.findall(r"add_subdirectory\((\w+)\)", tree.text_of(root, listing)))
    there = {path.split("/")[1] for path in tree.files(root)
             if re.fullmatch(r"tests/\w+/CMakeLists\.txt", path)}
    return [f"tests/{name}: {listing} does not build it" for name in sorted(there - built)]


if __name__ == "__main__":
    tree.main(check)
