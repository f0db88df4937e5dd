# SPDX-FileCopyrightText: The Assay authors
# SPDX-License-Identifier: Apache-2.0
"""A quantity in a header is named with its unit: `duration`, `timeout`, `threshold` and `elapsed`
alone are not names of variables, members, parameters or functions."""
import re

import tree

BARE = ("duration", "timeout", "threshold", "elapsed")
# A type's last character, then the name, then what may follow a declarator. An enumerator (the kind
# of counter is called `duration`) follows a comma or a brace, and `x::duration` a colon.
DECLARED = re.compile(r"(?<=[\w>&*\]])\s+[&*]?(" + "|".join(BARE) + r")_?\s*(?=[;=,(){\[])")
NOT_A_TYPE = re.compile(r"\b(return|case|goto|enum|struct|class|using|typename|namespace)$")


def check(root):
    complaints = []
    for path in tree.files(root):
        if not path.endswith((".h", ".cuh")):
            continue
        text = tree.without_comments(tree.text_of(root, path))
        for match in DECLARED.finditer(text):
            if NOT_A_TYPE.search(text[:match.start()]):
                continue
            line = tree.line_of(text, match.start(1))
            complaints.append(f"{path}:{line}: `{match.group(1)}` says no unit; add _ns, _ratio, …")
    return complaints


if __name__ == "__main__":
    tree.main(check)
