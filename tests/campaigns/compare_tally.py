# SPDX-FileCopyrightText: The Assay authors
# SPDX-License-Identifier: Apache-2.0
"""compare_tally.py FOLDER OUT.json: what the real comparisons in FOLDER/{aa,plus5,plus10} came to, as
Markdown, and each of them in OUT.json. A contaminated or inconclusive run is a miss."""
import json
import math
import os
import sys

LOW = 0.02
HIGH = 0.05
CODES = ((0, "clean"), (1, "found"), (3, "could not measure"), (4, "undecided"))


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


def median(values):
    values = sorted(values)
    return values[len(values) // 2] if values else float("nan")


def reports_of(folder):
    if not os.path.isdir(folder):
        return {}
    numbers = sorted(int(name[:-5]) for name in os.listdir(folder) if name.endswith(".json"))
    reports = {}
    for number in numbers:
        with open(os.path.join(folder, f"{number}.json"), encoding="utf-8") as file:
            reports[number] = json.load(file)
    return reports


def value(quantity):
    """None where it is absent, for whatever reason."""
    return quantity.get("value")


def is_called(row):
    return row["state"] in ("regressed", "improved")


def false_alarms(report, percent):
    return [row["name"] for row in report["rows"]
            if is_called(row) and not (percent and planted(row["name"]) and row["state"] == "regressed")]


def share_found(reports, wanted):
    rows = [row for report in reports.values() for row in report["rows"] if wanted(row)]
    return sum(row["state"] == "regressed" for row in rows), len(rows)


def print_runs(percent, reports, times):
    title = "Two links of one commit" if not percent else f"Planted rows do {percent} % more work"
    print(f"\n## {title}\n")
    print(f"* runs: {len(reports)}; rows in each: {sorted({len(r['rows']) for r in reports.values()})}")
    reds = sum(any(row["state"] == "regressed" and not (percent and planted(row["name"]))
                   for row in report["rows"]) for report in reports.values())
    calls = sum(bool(false_alarms(report, percent)) for report in reports.values())
    print(f"* runs with a row called worse that is not: {words(reds, len(reports))}")
    print(f"* runs with a row called worse or better that is not: {words(calls, len(reports))}")
    for code, what in CODES:
        count = sum(report["exit_code"] == code for report in reports.values())
        print(f"* exit {code} ({what}): {words(count, len(reports))}")
    print(f"* contaminated: {sum(report['is_contaminated'] for report in reports.values())}")
    seconds = [times[number] for number in reports if number in times]
    if seconds:
        rows = max(len(report["rows"]) for report in reports.values())
        print(f"* wall time a run: median {median(seconds):.1f} s, longest {max(seconds):.1f} s: "
              f"{median(seconds) / rows:.2f} s a row")
    if percent:
        print(f"* found, planted rows with a margin of at most 2 %: "
              f"{words(*share_found(reports, lambda r: planted(r['name']) and r['margin_ratio'] <= LOW))}")
        print(f"* found, planted rows with a margin of at most 5 %: "
              f"{words(*share_found(reports, lambda r: planted(r['name']) and r['margin_ratio'] <= HIGH))}")
        print(f"* found, all planted rows: {words(*share_found(reports, lambda r: planted(r['name'])))}")


def print_rows(sets):
    print("\n## Rows\n")
    print("Margin: what the row is judged against, the threshold of 2 % or its floor. Sees: the median of "
          "what the runs of equal builds said that they could see.\n")
    print("| row | margin | sees | runs of equal builds that called it changed | +5 % found | +10 % found |")
    print("|---|---:|---:|---:|---:|---:|")
    names = [row["name"] for row in next(iter(sets[0].values()))["rows"]]
    for name in sorted(names):
        of = {percent: [row for report in sets[percent].values() for row in report["rows"]
                        if row["name"] == name] for percent in sets}
        margin = of[0][0]["margin_ratio"]
        sees = median([value(row["visible_ratio"]) for row in of[0]
                       if value(row["visible_ratio"]) is not None])
        cells = [f"{100 * margin:.1f} %", f"{100 * sees:.1f} %",
                 f"{sum(map(is_called, of[0]))} of {len(of[0])}"]
        for percent in (5, 10):
            found = sum(row["state"] == "regressed" for row in of[percent])
            cells.append(f"{found} of {len(of[percent])}" if planted(name) else "")
        print(f"| {name} | " + " | ".join(cells) + " |")


def kept(report, percent):
    return {"exit_code": report["exit_code"], "contaminated": report["is_contaminated"],
            "false_alarms": false_alarms(report, percent),
            "planted_change_ratios": {row["name"]: [row["state"], value(row["change_ratio"])]
                                      for row in report["rows"] if percent and planted(row["name"])},
            "states": {state: sum(row["state"] == state for row in report["rows"])
                       for state in sorted({row["state"] for row in report["rows"]})}}


def main(folder, out):
    sets = {percent: reports_of(os.path.join(folder, name))
            for percent, name in ((0, "aa"), (5, "plus5"), (10, "plus10"))}
    times = {}
    with open(os.path.join(folder, "runs.txt"), encoding="utf-8") as file:
        loads = []
        for line in file:
            _, number, _, wall_ms, load = line.split()
            times[int(number)] = int(wall_ms) / 1000
            loads.append(float(load))
    print(f"* load average after each run: {min(loads):.1f} to {max(loads):.1f}, median {median(loads):.1f}")
    with open(os.path.join(folder, "floors.json"), encoding="utf-8") as file:
        floors = json.load(file)
    counts = sorted({row["results_count"] for row in floors["rows"]})
    print(f"* floors: {len(floors['rows'])} rows from {counts[0]} results and more (of the family where a row "
          f"has fewer than 40), uncalibrated: {', '.join(floors['uncalibrated']) or 'none'}")
    for percent, reports in sets.items():
        print_runs(percent, reports, times)
    print_rows(sets)
    with open(out, "w", encoding="utf-8") as file:
        json.dump({"runs": {f"plus{percent}": {number: kept(report, percent)
                                               for number, report in reports.items()}
                            for percent, reports in sets.items()}, "floors": floors["rows"]}, file, indent=1)


if __name__ == "__main__":
    main(*sys.argv[1:])
