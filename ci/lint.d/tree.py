# SPDX-FileCopyrightText: The Assay authors
# SPDX-License-Identifier: Apache-2.0
"""What every lint needs: the files of a tree, C++ without its comments, and a main()."""
import os
import re
import subprocess
import sys

HOST_SUFFIXES = (".h", ".cpp", ".cuh", ".cu")
NOT_OURS = ("tests/fixtures/", "scenarios/embedded/", "tests/fuzz/corpus/")
BUILT = ("build/", "out/")


def files(root):
    """Paths of our files relative to root, sorted: what git tracks or would; without a repository,
    what is there and was not built."""
    if os.path.exists(os.path.join(root, ".git")):
        # Continuous integration may read a clone that another user owns.
        listed = subprocess.run(
            ["git", "-c", "safe.directory=*", "-C", root, "ls-files", "-z", "--cached", "--others",
             "--exclude-standard"], check=True, capture_output=True, text=True).stdout.split("\0")
    else:
        listed = [os.path.relpath(os.path.join(folder, name), root)
                  for folder, _, names in os.walk(root) for name in names]
    return sorted(path for path in listed
                  if path and not path.startswith(NOT_OURS + BUILT)
                  and os.path.isfile(os.path.join(root, path)))


def sources(root):
    return [path for path in files(root) if path.endswith(HOST_SUFFIXES)]


def text_of(root, path):
    with open(os.path.join(root, path), encoding="utf-8", errors="replace") as file:
        return file.read()


_TOKEN = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(?P<tag>[^()\s\\]{0,16})\(.*?\)(?P=tag)"'
    r'|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])+\'', re.DOTALL)


def without_comments(text, keep_strings=False):
    """Comments, and strings unless kept, become blanks; every line stays where it is."""
    def blank(match):
        token = match.group(0)
        if keep_strings and not token.startswith("/"):
            return token
        return re.sub(r"[^\n]", " ", token)
    return _TOKEN.sub(blank, text)


def line_of(text, offset):
    return text.count("\n", 0, offset) + 1


def main(check):
    """Runs check(root) → list of complaints on the tree given, or on ours."""
    root = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(__file__), "../..")
    complaints = check(os.path.normpath(root))
    for complaint in complaints:
        print(complaint)
    sys.exit(1 if complaints else 0)


if __name__ == "__main__":
    print(*sources(sys.argv[1]), sep="\n")
