#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Assay authors
# SPDX-License-Identifier: Apache-2.0
"""report_repeats.py READER BASE HEAD FOLDER RUNS K…: how often `READER report` tells runs of one
build apart, and whether it finds what is slower in HEAD.

Audits of the programs BASE and HEAD by turns, RUNS of each, into FOLDER (those that lie there are
taken as they are). Then, of K runs a side drawn without overlap, BASE against BASE and BASE against
HEAD. HEAD is BASE with one operator made slower by hand; which, the reader of the table must know.
"""
import json
import os
import random
import subprocess
import sys
import tempfile


def record(base, head, folder, runs):
    for at in range(runs):
        for side in ("base", "head")[::1 if at % 2 else -1]:
            trace = os.path.join(folder, f"{side}-{at}.trace")
            if not os.path.exists(trace):
                program = base if side == "base" else head
                got = subprocess.run([program, "audit", "--out-trace", trace],
                                     stdout=subprocess.DEVNULL, check=False)
                if got.returncode not in (0, 1, 4):
                    sys.exit(f"report_repeats: {program} audit: {got.returncode}")


def told(reader, firsts, seconds):
    """Verdicts by row that are no 'no difference'; rows at the others' pace apart."""
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "d.json")
        subprocess.run([reader, "report", "--first", *firsts, "--second", *seconds, "--json", out],
                       stdout=subprocess.DEVNULL, check=False)
        with open(out, encoding="utf-8") as file:
            times = json.load(file)["times"]
    return {(each["subject"], each["is_paced"]): each["verdict"] for each in times
            if each["verdict"] != "no difference that this data can show"}


def main():
    reader, base, head, folder, runs = *sys.argv[1:5], int(sys.argv[5])
    os.makedirs(folder, exist_ok=True)
    record(base, head, folder, runs)
    names = {side: [os.path.join(folder, f"{side}-{at}.trace") for at in range(runs)]
             for side in ("base", "head")}
    draw = random.Random(8)
    print("| sides | runs a side | reports | with a row told apart | rows told, and in how many |")
    print("|---|---:|---:|---:|---|")
    for k in map(int, sys.argv[6:]):
        for sides in (("base", "base"), ("head", "head"), ("base", "head")):
            reports, apart, rows = 0, 0, {}
            for _ in range(-(-20 * 2 * k // runs)):  # 20 reports or more
                pools = {side: draw.sample(names[side], runs) for side in set(sides)}
                while all(len(pools[side]) >= k * sides.count(side) for side in set(sides)):
                    taken = [[pools[side].pop() for _ in range(k)] for side in sides]
                    found = told(reader, *taken)
                    reports += 1
                    apart += bool(found)
                    for (row, is_paced), verdict in found.items():
                        key = f"{row}{' at the others' + chr(39) + ' pace' if is_paced else ''}: {verdict}"
                        rows[key] = rows.get(key, 0) + 1
            listed = "; ".join(f"{row} ({count})" for row, count in
                               sorted(rows.items(), key=lambda each: -each[1])[:4])
            print(f"| {sides[0]} against {sides[1]} | {k} | {reports} | {apart} | {listed or '-'} |",
                  flush=True)


if __name__ == "__main__":
    main()
