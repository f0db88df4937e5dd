# SPDX-FileCopyrightText: The Assay authors
# SPDX-License-Identifier: Apache-2.0
"""Every #include "…" must be one that the room table of docs/architecture.md allows.

A row is | `room/` | what it holds | `allowed`, `allowed`, … |. An allowed entry is a room, a folder
of rooms or one header; `everything` allows all. The longest room that a file lies in is its row. A
room may include itself. tests/ stands outside the arrows.
"""
import os
import re

import tree

TABLE = "docs/architecture.md"
OUTSIDE = ("tests/",)
# Spaces are optional, and <…> finds our headers, too: the root is on the include path.
INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)', re.MULTILINE)
ROW = re.compile(r"^\|\s*`([a-z0-9_/]+?)/?`\s*\|[^|]*\|([^|]*)\|\s*$")


def rooms(table):
    """The table as {room: [allowed prefix, …]}."""
    found = {}
    for line in table.splitlines():
        if row := ROW.match(line):
            found[row.group(1)] = [entry.rstrip("/")
                                   for entry in re.findall(r"`([^`]+)`", row.group(2))]
    return found


def room_of(path, table):
    inside = [room for room in table if is_in(path, room)]
    return max(inside, key=len, default=None)


def is_in(path, prefix):
    return path == prefix or path.startswith(prefix + "/")


def check(root):
    if not os.path.isfile(os.path.join(root, TABLE)):
        return [f"{TABLE}: missing, and it is the table of rooms"]
    table = rooms(tree.text_of(root, TABLE))
    if not table:
        return [f"{TABLE}: no row of the room table could be read"]
    complaints = []
    for path in tree.sources(root):
        if not path.startswith(OUTSIDE):
            complaints += check_file(root, path, table)
    return complaints


def check_file(root, path, table):
    room = room_of(path, table)
    if room is None:
        return [f"{path}: lies in no room of {TABLE}"]
    complaints = []
    text = tree.without_comments(tree.text_of(root, path), keep_strings=True)
    for match in INCLUDE.finditer(text):
        target, bracketed = match.groups()
        where = f"{path}:{tree.line_of(text, match.end())}"
        if bracketed:
            if os.path.isfile(os.path.join(root, bracketed)):
                complaints.append(f'{where}: <{bracketed}> is ours; include it in quotes')
        elif not os.path.isfile(os.path.join(root, target)):
            complaints.append(f'{where}: "{target}" is not a path from the repository root')
        elif not is_allowed(room, target, table):
            complaints.append(f'{where}: {room} may not include "{target}" ({TABLE})')
    return complaints


def is_allowed(room, target, table):
    return any(entry == "everything" or is_in(target, entry) for entry in [room, *table[room]])


if __name__ == "__main__":
    tree.main(check)
