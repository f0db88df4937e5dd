# SPDX-FileCopyrightText: The Assay authors
# SPDX-License-Identifier: Apache-2.0
"""Prints "PASSED FAILED" of a JUnit file that ctest wrote. Skipped tests are neither."""
import sys
import xml.etree.ElementTree as ElementTree


def tally(path):
    passed = failed = 0
    for case in ElementTree.parse(path).getroot().iter("testcase"):
        if case.find("skipped") is not None or case.get("status") == "disabled":
            continue
        # Anything but a run without a failure counts as failed: also a test that was never built.
        if case.get("status") == "run" and case.find("failure") is None:
            passed += 1
        else:
            failed += 1
    return passed, failed


if __name__ == "__main__":
    print(*tally(sys.argv[1]))
