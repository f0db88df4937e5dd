# SPDX-FileCopyrightText: The Assay authors
# SPDX-License-Identifier: Apache-2.0
"""Pages that quote say what is so: every `figure` of a row of docs/status.md stands in the file that
the row links; docs/failure-modes.md names every planted lie, under its rule, and no other."""
import os
import re

import tree

STATUS = "docs/status.md"
MODES = "docs/failure-modes.md"
LIES = "harness/selftest/"


def check(root):
    return [*check_status(root), *check_modes(root)]


def rows_of(text):
    return [(number, line) for number, line in enumerate(text.splitlines(), 1)
            if line.startswith("|") and not re.match(r"\|[\s|:-]+$", line)]


def check_status(root):
    complaints = []
    for number, row in rows_of(tree.text_of(root, STATUS))[1:]:
        link = re.search(r"\]\((evidence/[^)]+)\)\s*\|$", row)
        if link is None or not os.path.isfile(os.path.join(root, "docs", link.group(1))):
            complaints.append(f"{STATUS}:{number}: the row cites no file under docs/evidence")
            continue
        figures = re.findall(r"`([^`]+)`", row)
        if not figures:
            complaints.append(f"{STATUS}:{number}: the row has no `figure`")
        evidence = tree.text_of(root, "docs/" + link.group(1))
        complaints += [f"{STATUS}:{number}: `{figure}` is not in {link.group(1)}"
                       for figure in figures if figure not in evidence]
    return complaints


def planted(root):
    """(rule, lie) of every row of the tables of lies: {"name", "R01", …}."""
    found = set()
    for path in tree.files(root):
        if path.startswith(LIES) and path.endswith(".cpp"):
            text = tree.without_comments(tree.text_of(root, path), keep_strings=True)
            found |= {(rule, name) for name, rule in
                      re.findall(r'\{\s*"([^"]+)",\s*"(R\d\d)"', text)}
    return found


def check_modes(root):
    named = set()
    for _, row in rows_of(tree.text_of(root, MODES)):
        match = re.match(r"\| (R\d\d) \| `([^`]+)` \|$", row)
        if match:
            named.add(match.groups())
    there = planted(root)
    return ([f"{MODES}: `{lie}` ({rule}) is no planted lie" for rule, lie in sorted(named - there)] +
            [f"{MODES}: the lie `{lie}` ({rule}) is missing" for rule, lie in sorted(there - named)])


if __name__ == "__main__":
    tree.main(check)
