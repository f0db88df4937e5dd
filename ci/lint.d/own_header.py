# SPDX-FileCopyrightText: The Assay authors
# SPDX-License-Identifier: Apache-2.0
"""A source includes its own header before anything else. That it compiles then shows that the header
stands on its own, so the build verifies only headers that have no source beside them."""
import os
import re

import tree

INCLUDED = re.compile(r'^\s*#\s*include\s+([<"][^>"]+[>"])', re.MULTILINE)


def check(root):
    paths = set(tree.files(root))
    complaints = []
    for path in sorted(paths):
        header = os.path.splitext(path)[0] + ".h"
        if not path.endswith(".cpp") or header not in paths:
            continue
        text = tree.without_comments(tree.text_of(root, path), keep_strings=True)
        first = INCLUDED.search(text)
        if first is None or first.group(1) != f'"{header}"':
            line = tree.line_of(text, first.start(1)) if first else 1
            complaints.append(f'{path}:{line}: the first include is not "{header}"')
    return complaints


if __name__ == "__main__":
    tree.main(check)
