# SPDX-FileCopyrightText: The Assay authors
# SPDX-License-Identifier: Apache-2.0
"""Prints "PASSED FAILED" of a JUnit file that ctest wrote. Skipped tests are neither."""
import sys
import xml.etree.ElementTree as ElementTree


def is_skipped(case):
    """It said so itself. ctest also calls a test skipped whose program was never built: that is a
    failure."""
    skipped = case.find("skipped")
    return skipped is not None and skipped.get("message", "").startswith("SKIP_")


def tally(path):
    passed = failed = 0
    for case in ElementTree.parse(path).getroot().iter("testcase"):
        if case.get("status") == "disabled" or is_skipped(case):
            continue
        if case.get("status") == "run" and case.find("failure") is None:
            passed += 1
        else:
            failed += 1
    return passed, failed


if __name__ == "__main__":
    print(*tally(sys.argv[1]))
