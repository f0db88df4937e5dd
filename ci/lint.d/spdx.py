# SPDX-FileCopyrightText: The Assay authors
# SPDX-License-Identifier: Apache-2.0
"""Every source and script opens with its copyright and its license, behind a #! line if any."""
import tree

NEEDED = ("SPDX-FileCopyrightText: ", "SPDX-License-Identifier: Apache-2.0")
SUFFIXES = tree.HOST_SUFFIXES + (".def", ".py", ".cmake", "CMakeLists.txt")


def is_script(root, path):
    # ci/ holds scripts without a suffix.
    name = path.rsplit("/", 1)[-1]
    return path.startswith(("ci/", ".ci/")) and "." not in name and \
        tree.text_of(root, path).startswith("#!")


def check(root):
    complaints = []
    for path in tree.files(root):
        if not path.endswith(SUFFIXES) and not is_script(root, path):
            continue
        opening = "\n".join(tree.text_of(root, path).splitlines()[:4])
        missing = [needed for needed in NEEDED if needed not in opening]
        if missing:
            complaints.append(f"{path}: does not open with {' and '.join(missing)}")
    return complaints


if __name__ == "__main__":
    tree.main(check)
