#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Assay authors
# SPDX-License-Identifier: Apache-2.0
"""report_caller.py ASSAY RUNS RAW.json: audits in a row, and of each the residual of decode by the
records beside what the kernel's account of the caller says of it: at least and at most how much of it
the caller ran. Prints a table in Markdown; fails where a bound crosses another or an audit finds."""
import json
import os
import subprocess
import sys
import tempfile

KEPT = ("passes_count", "run_ns", "off_core_ns", "calls_that_wait_ns", "settled_passes_count",
        "off_core_outside_calls_at_most_ns", "residual_ns", "residual_run_at_least_ns",
        "residual_run_at_most_ns")


def one_run(assay, room):
    trace, document = os.path.join(room, "t"), os.path.join(room, "r.json")
    audit = subprocess.run([assay, "audit", "--out-trace", trace], capture_output=True, text=True)
    subprocess.run([assay, "report", trace, "--json", document], capture_output=True)
    with open(document, encoding="utf-8") as read:
        decode = json.load(read)["decode"]
    return {"exit_code": audit.returncode, "headline": audit.stdout.split("\n", 1)[0],
            "wall_ns": decode["wall_ns"], **{name: decode["caller"][name] for name in KEPT}}


def main():
    assay, runs, raw = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    with tempfile.TemporaryDirectory() as room:
        made = [one_run(assay, room) for _ in range(runs)]
    with open(raw, "w", encoding="utf-8") as out:
        json.dump(made, out, indent=1)
        out.write("\n")
    print("| run | exit | residual | of it the caller ran, at least | at most | outside of its calls that wait "
          "it was off its core, at most | passes that leave no room for more |")
    print("|---:|---:|---:|---:|---:|---:|---:|")
    for at, each in enumerate(made, 1):
        share = lambda name: f"{100.0 * each[name] / each['wall_ns']:.2f} %"
        print(f"| {at} | {each['exit_code']} | {share('residual_ns')} | {share('residual_run_at_least_ns')} | "
              f"{share('residual_run_at_most_ns')} | {share('off_core_outside_calls_at_most_ns')} | "
              f"{each['settled_passes_count']} of {each['passes_count']} |")
    wrong = [each for each in made if each["exit_code"] == 1 or
             not each["residual_run_at_least_ns"] <= each["residual_run_at_most_ns"] <= each["residual_ns"]]
    return f"{len(wrong)} of {runs} runs are not as they must be" if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
