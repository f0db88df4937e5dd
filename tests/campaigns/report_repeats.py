#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Assay authors
# SPDX-License-Identifier: Apache-2.0
"""report_repeats.py record BASE HEAD FOLDER RUNS OTHERS: audits of two programs by turns, until FOLDER
has RUNS traces of each, beside OTHERS processes that take a core half of the time.
report_repeats.py tell READER FOLDER RAW.json ROW K…: how often `READER report` tells runs of one
program apart, and whether it finds what is slower in HEAD: only rows that begin with ROW may be told.

K runs a side are drawn without overlap within a draw; draws share their runs, so that reports of one
row of the table are not independent of each other.
"""
import json
import multiprocessing
import os
import random
import subprocess
import sys
import tempfile
import time

NO_DIFFERENCE = "no difference that this data can show"
REPORTS_MIN = 36


def burst():
    """Work of others: up to a second of a core, then as long of nothing, ever again."""
    draw = random.Random()
    while True:
        until = time.monotonic() + draw.uniform(0.1, 1.0)
        while time.monotonic() < until:
            pass
        time.sleep(draw.uniform(0.1, 1.0))


def record(base, head, folder, runs, others):
    os.makedirs(folder, exist_ok=True)
    beside = [multiprocessing.Process(target=burst, daemon=True) for _ in range(others)]
    for each in beside:
        each.start()
    for at in range(runs):
        for side, program in (("base", base), ("head", head))[::1 if at % 2 else -1]:
            trace = os.path.join(folder, f"{side}-{at}.trace")
            if os.path.exists(trace):
                continue
            got = subprocess.run([program, "audit", "--out-trace", trace + ".partial"],
                                 stdout=subprocess.DEVNULL, check=False)
            if got.returncode not in (0, 1, 4):
                sys.exit(f"report_repeats: {program} audit: {got.returncode}")
            os.rename(trace + ".partial", trace)
            with open("/proc/loadavg", encoding="ascii") as load, \
                    open(os.path.join(folder, "runs.jsonl"), "a", encoding="utf-8") as log:
                log.write(json.dumps({"side": side, "run": at, "exit": got.returncode,
                                      "load": float(load.read().split()[0])}) + "\n")


def told(reader, firsts, seconds):
    """The times of a report, and each run's median step."""
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "d.json")
        subprocess.run([reader, "report", "--first", *firsts, "--second", *seconds, "--json", out],
                       stdout=subprocess.DEVNULL, check=False)
        with open(out, encoding="utf-8") as file:
            report = json.load(file)
    return report["times"], [each["step_ns"] for each in report["runs"]]


def name(row):
    return row["subject"] + (" at the others' pace" if row["is_paced"] else "")


def judged(reader, folder, runs, draw, sides, k, planted, step_ns):
    """Reports of K runs a side: which runs they are of, and what was told."""
    out = []
    while len(out) < REPORTS_MIN:
        pools = {side: draw.sample(range(runs), runs) for side in sorted(set(sides))}
        while all(len(pools[side]) >= k * sides.count(side) for side in pools):
            taken = [[pools[side].pop() for _ in range(k)] for side in sides]
            times, steps = told(reader, *([os.path.join(folder, f"{side}-{at}.trace") for at in of]
                                          for side, of in zip(sides, taken)))
            for side, of in zip(sides, taken):
                for at in of:
                    step_ns[f"{side}-{at}"] = steps.pop(0)
            keep = [row for row in times
                    if row["verdict"] != NO_DIFFERENCE or row["subject"].startswith(planted)]
            out.append({"sides": sides, "first": taken[0], "second": taken[1], "rows": [
                {"row": name(row), "verdict": row["verdict"],
                 **{key: row[key] for key in ("change_ns", "low_ns", "high_ns", "first_ns")
                    if key in row}} for row in keep]})
    return out


def line_of(reports, k, planted):
    """A row of the table: what a reader would have believed."""
    found, wrong, rows = 0, 0, {}
    for each in reports:
        names = [f"{row['row']}: {row['verdict']}" for row in each["rows"]
                 if row["verdict"] != NO_DIFFERENCE]
        is_slower = each["sides"] == ["base", "head"]
        right = [one for one in names
                 if is_slower and one.startswith(planted) and one.endswith(": larger")]
        found += bool(right)
        wrong += len(right) != len(names)
        for one in names:
            rows[one] = rows.get(one, 0) + 1
    listed = "; ".join(f"{row} ({count})" for row, count in
                       sorted(rows.items(), key=lambda each: -each[1]))
    return (f"| {' against '.join(reports[0]['sides'])} | {k} | {found} of {len(reports)} "
            f"| {wrong} of {len(reports)} | {listed or '-'} |")


def tell(reader, folder, raw, planted, ks):
    with open(os.path.join(folder, "runs.jsonl"), encoding="utf-8") as log:
        taken = [json.loads(line) for line in log]
    runs = min(sum(each["side"] == side for each in taken) for side in ("base", "head"))
    draw, step_ns, kept = random.Random(8), {}, []
    loads = sorted(each["load"] for each in taken)
    print(f"{runs} runs of each, load average {loads[0]} to {loads[-1]}, "
          f"its middle {loads[len(loads) // 2]}\n")
    print("| sides | runs a side | the slower operator found | anything else told | rows told, and in how many |")
    print("|---|---:|---:|---:|---|")
    for k in ks:
        for sides in (["base", "base"], ["head", "head"], ["base", "head"]):
            reports = judged(reader, folder, runs, draw, sides, k, planted, step_ns)
            kept += reports
            print(line_of(reports, k, planted), flush=True)
    steps = sorted(step_ns.values())
    print(f"\nmedian steps of the runs: {steps[0] / 1000:.1f} to {steps[-1] / 1000:.1f} µs, their "
          f"middle {steps[len(steps) // 2] / 1000:.1f}")
    with open(raw, "w", encoding="utf-8") as file:
        json.dump({"runs": taken, "median_step_ns": step_ns, "reports": kept}, file,
                  separators=(",", ":"))
        file.write("\n")


def main():
    if len(sys.argv) == 7 and sys.argv[1] == "record":
        record(*sys.argv[2:5], int(sys.argv[5]), int(sys.argv[6]))
    elif len(sys.argv) > 6 and sys.argv[1] == "tell":
        tell(*sys.argv[2:6], list(map(int, sys.argv[6:])))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
