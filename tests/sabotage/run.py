# SPDX-FileCopyrightText: The Assay authors
# SPDX-License-Identifier: Apache-2.0
"""run.py COPY BUILD [--unbuilt PROGRAM] [--evidence FILE] [NAME …]: damages COPY, case by case,
builds what was damaged, runs the guard or the audit, and wants red: exit 1, with the rule and the
subject named. The copy is made whole again after each case. --unbuilt runs only the cheap cases
that touch no code, with the program that is given."""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import cases  # noqa: E402


def damaged(text, case):
    for find, replace in case.edits:
        count = text.count(find)
        if case.is_built and count != 1:
            raise SystemExit(f"{case.name}: {case.path} has its text {count} times, wanted once")
        if count == 0:
            raise SystemExit(f"{case.name}: {case.path} does not have its text any more")
        text = text.replace(find, replace)
    return text


def findings(copy, program, by, folder):
    """The exit code, (rule, subject) of each finding of a run with the rules that explain it, and
    what it said where it failed."""
    out = os.path.join(folder, "result.json")
    command = [program, by, "--out-json", out]
    if by == cases.GUARD:
        command += ["--self", copy]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=600)
    if not os.path.isfile(out):
        return ran.returncode, {}, ran.stderr.strip()
    with open(out, encoding="utf-8") as file:
        report = json.load(file)
    os.remove(out)
    why = {(f["rule"], f["subject"]): [e["rule"] for e in f.get("explanations", [])]
           for f in report["findings"]}
    return ran.returncode, why, ""


def is_caught(case, code, found):
    why = found.get((case.rule, case.subject))
    return code == 1 and why is not None and (not case.explained_by or case.explained_by in why)


def run_case(case, copy, build, program, folder):
    path = os.path.join(copy, case.path)
    with open(path, encoding="utf-8") as file:
        whole = file.read()
    start = time.monotonic()
    with open(path, "w", encoding="utf-8") as file:
        file.write(damaged(whole, case))
    try:
        if program is None and case.is_built:
            built = subprocess.run(["cmake", "--build", build, "-j2", "--target", "assay"],
                                   capture_output=True, text=True)
            if built.returncode != 0:
                return -1, {}, built.stdout[-2000:], time.monotonic() - start
        code, found, error = findings(copy, program or os.path.join(build, "assay"), case.by,
                                      folder)
    finally:
        with open(path, "w", encoding="utf-8") as file:
            file.write(whole)
    return code, found, error, time.monotonic() - start


def check_texts(copy):
    """Each case finds what it damages, also those that are not run now: code that moved would be
    told when somebody runs them all, by night."""
    for case in cases.CASES:
        with open(os.path.join(copy, case.path), encoding="utf-8") as file:
            damaged(file.read(), case)


def rule_of(case):
    return f"{case.rule}, explained by {case.explained_by}" if case.explained_by else case.rule


def evidence(rows):
    lines = ["# Sabotage", "",
             "Each row: one mistake made in a copy of the source, the program built of it and run. "
             "Written by `ci/sabotage --evidence FILE`.", "",
             "| case | what was done | where | run | ended with | rule | of | other findings | "
             "seconds | |", "|---|---|---|---|---|---|---|---|---|---|"]
    for case, code, found, took_s, caught in rows:
        others = sorted({f"{r} {s}" for r, s in found if (r, s) != (case.rule, case.subject)})
        told = ", ".join(others[:3]) + (f" and {len(others) - 3} more" if len(others) > 3 else "")
        lines.append(f"| {case.name} | {case.tells} | `{case.path}` | {case.by} | {code} | "
                     f"{rule_of(case)} | {case.subject} | {told or 'none'} | {took_s:.0f} | "
                     f"{'caught' if caught else 'MISSED'} |")
    caught = sum(1 for row in rows if row[4])
    return "\n".join(lines + ["", f"{caught} of {len(rows)} caught.", ""])


def run(copy, build, wanted, program, evidence_path):
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for case in wanted:
            code, found, error, took_s = run_case(case, copy, build, program, folder)
            caught = is_caught(case, code, found)
            print(f"{'caught ' if caught else 'MISSED '} {case.name}: {case.by} ended with {code}, "
                  f"{len(found)} findings, wanted {rule_of(case)} of {case.subject} ({took_s:.0f} s) "
                  f"{error}", flush=True)
            if not caught:
                print(f"         found {sorted(set(found))[:8]}", flush=True)
            rows.append((case, code, found, took_s, caught))
            if evidence_path:
                with open(evidence_path, "w", encoding="utf-8") as file:
                    file.write(evidence(rows))
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("copy")
    parser.add_argument("build")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--unbuilt", metavar="PROGRAM")
    parser.add_argument("--evidence", metavar="FILE")
    given = parser.parse_intermixed_args()
    unknown = set(given.names) - {c.name for c in cases.CASES}
    wanted = [c for c in cases.CASES if (not given.names or c.name in given.names)
              and (given.unbuilt is None or c.is_cheap)]
    if unknown or not wanted:
        raise SystemExit(f"no such case: {', '.join(sorted(unknown)) or 'none at all'}")
    check_texts(given.copy)
    # What is not built runs with a program of the whole source, so before any damage is built.
    wanted.sort(key=lambda case: case.is_built)
    rows = run(given.copy, given.build, wanted, given.unbuilt, given.evidence)
    caught = sum(1 for row in rows if row[4])
    print(f"{caught} of {len(rows)} caught")
    return 0 if caught == len(rows) else 1


if __name__ == "__main__":
    sys.exit(main())
