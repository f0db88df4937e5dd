# SPDX-FileCopyrightText: The Assay authors
# SPDX-License-Identifier: Apache-2.0
"""Things that may stand in one place only: getenv, vendor headers, names of counters."""
import re

import tree

# (what, pattern, where it may stand, whether string literals count)
PLACES = [
    ("getenv is read through runtime/telemetry/knobs.h",
     re.compile(r"\b(?:secure_)?getenv\b"), ("runtime/telemetry/knobs.cpp", "tests/"), False),
    ("CUPTI is seen under probes/ only",
     re.compile(r"#\s*include\s*[<\"]cupti"), ("probes/",), True),
    # knobs.cpp names the counter that a knob moves; a test holds it against the catalog.
    ("a counter is named through telemetry::counter_id; its name stands in catalog.def",
     re.compile(r"\"runtime\.[a-z0-9_]+\.[a-z0-9_]+\""),
     ("runtime/telemetry/catalog.def", "runtime/telemetry/knobs.cpp", "tests/"), True),
]


def check(root):
    complaints = []
    for path in tree.sources(root):
        text = tree.text_of(root, path)
        for what, pattern, allowed, in_strings in PLACES:
            if path.startswith(allowed):
                continue
            code = tree.without_comments(text, keep_strings=in_strings)
            for match in pattern.finditer(code):
                line = tree.line_of(code, match.start())
                complaints.append(f"{path}:{line}: {match.group(0)}: {what}")
    return complaints


if __name__ == "__main__":
    tree.main(check)
