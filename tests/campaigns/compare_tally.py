# SPDX-FileCopyrightText: The Assay authors
# SPDX-License-Identifier: Apache-2.0
"""compare_tally.py FOLDER PERCENT RUN…: what real runs of assay compare came to. Where PERCENT is not
0, planted rows are those that pool_bench names so; a contaminated or inconclusive run is a miss."""
import json
import math
import os
import sys

FLOOR = 0.02


def planted(name):
    """As is_planted() of pool_rows.cpp."""
    value = 2166136261
    for byte in name.removesuffix("/real_time").encode():
        value = ((value ^ byte) * 16777619) & 0xFFFFFFFF
    return value % 5 == 0


def tail(seen, tried, rate):
    """P(at most `seen` of `tried`) at `rate`."""
    return sum(math.comb(tried, k) * rate ** k * (1 - rate) ** (tried - k) for k in range(seen + 1))


def at_most(seen, tried):
    """Clopper-Pearson, one-sided, 95 %."""
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if tail(seen, tried, middle) > 0.05 else (low, middle)
    return high


def words(seen, tried):
    if tried == 0:
        return "none of none"
    return (f"{seen} of {tried} ({100 * seen / tried:.1f} %; at most {100 * at_most(seen, tried):.1f} % "
            f"and at least {100 - 100 * at_most(tried - seen, tried):.1f} % with 95 % each side)")


def main(folder, percent, numbers):
    reports = []
    for number in numbers:
        path = os.path.join(folder, f"{number}.json")
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                reports.append(json.load(file))
    codes = [report["exit_code"] for report in reports]
    reds, low, everything, hidden = 0, [0, 0], [0, 0], set()
    for report in reports:
        for row in report["rows"]:
            found = row["state"] == "regressed"
            if percent == 0 or not planted(row["name"]):
                continue
            everything[0] += found
            everything[1] += 1
            if row["margin_ratio"] <= FLOOR:
                low[0] += found
                low[1] += 1
            else:
                hidden.add(row["name"])
        reds += any(row["state"] == "regressed" and (percent == 0 or not planted(row["name"]))
                    for row in report["rows"])
    print(f"* runs: {len(reports)}; rows in each: {sorted({len(r['rows']) for r in reports})}")
    print(f"* runs with a row called worse that is not: {words(reds, len(reports))}")
    for code, what in ((0, "clean"), (1, "found"), (3, "could not measure"), (4, "undecided")):
        print(f"* exit {code} ({what}): {codes.count(code)}")
    print(f"* contaminated: {sum(report['is_contaminated'] for report in reports)}")
    if percent:
        print(f"* planted +{percent} % found, rows judged against at most 2 %: {words(*low)}")
        print(f"* planted +{percent} % found, all rows: {words(*everything)}")
        print(f"* planted rows judged against more than 2 %: {', '.join(sorted(hidden)) or 'none'}")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3:])
