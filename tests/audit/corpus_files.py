# SPDX-FileCopyrightText: The Assay authors
# SPDX-License-Identifier: Apache-2.0
"""corpus_files.py PROGRAM DIR [WRITER]: every trace of DIR is audited by the program, as a user would
audit it, and the audit must end as DIR/expected.json says. With a WRITER the folder is written first.
Without this the corpus could fall to the rules in memory and live in the files that are given away.
Prints a line a lie; ends with 0, or with 1 where one of them lived."""
import json
import os
import subprocess
import sys
import tempfile


def audit(program, trace):
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "audit.json")
        ran = subprocess.run([program, "audit", trace, "--out-json", out], capture_output=True,
                             text=True, timeout=60)
        if not os.path.exists(out):
            return ran.returncode, None
        with open(out, encoding="utf-8") as file:
            return ran.returncode, json.load(file)


def findings_of(report, rule, subject=None):
    return [f for f in report["findings"]
            if f["rule"] == rule and subject in (None, f["subject"])]


def complaint(expected, code, report):
    """What is not as expected; empty where all is."""
    if report is None:
        return f"no report, exit {code}"
    rule, subject, how = expected["rule"], expected["subject"], expected["ending"]
    if how == "clean":
        return "" if code == 0 and not report["findings"] else f"exit {code}, something is found"
    if how == "undecided":
        gates = [g for g in report["gates"] if g["id"] == rule and not g["holds"]]
        lines = [c["verdict"] for c in report["counters"] if c["name"] == subject]
        if not gates and not findings_of(report, rule):
            return f"{rule} is silent"
        return "" if lines == ["undecided"] and code != 0 else f"exit {code}, it is {lines}"
    through = findings_of(report, expected["through"] or rule, subject)
    if not through:
        return f"{expected['through'] or rule} finds nothing of {subject}"
    if how == "explained" and all(rule != why["rule"] for f in through for why in f["explanations"]):
        return f"{rule} does not explain it"
    is_warning = all(f["severity"] == "warning" for f in report["findings"])
    return "" if code == (0 if is_warning else 1) else f"exit {code}"


def main(program, folder, writer=None):
    if writer:
        subprocess.run([writer, folder], check=True, timeout=120)
    with open(os.path.join(folder, "expected.json"), encoding="utf-8") as file:
        corpus = json.load(file)
    lived = 0
    for each in corpus:
        why = complaint(each, *audit(program, os.path.join(folder, each["file"])))
        lived += bool(why)
        told = why or (each["ending"] + (f" by {each['rule']}" if each["rule"] else ""))
        print(f"{'LIVES' if why else 'ok':5}  {each['file']:40}  {told}")
    print(f"{len(corpus) - lived} of {len(corpus)} as they must be")
    return 1 if lived or not corpus else 0


if __name__ == "__main__":
    if len(sys.argv) == 3:
        sys.exit(main(*sys.argv[1:]))
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as made:
        sys.exit(main(sys.argv[1], sys.argv[2] if sys.argv[2] != "-" else made, sys.argv[3]))
