# SPDX-FileCopyrightText: The Assay authors
# SPDX-License-Identifier: Apache-2.0
"""compare_tally.py FOLDER OUT.json [brief]: what the real comparisons in FOLDER/{aa,plus5,plus10} came to, as
Markdown, and each of them in OUT.json. A contaminated or inconclusive run is a miss. Brief: of each row its
estimate instead of its pairs, which for a hundred rows are megabytes; their logs are named by a hash."""
import hashlib
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


def is_false_alarm(row, percent):
    return is_called(row) and not (percent and planted(row["name"]) and row["state"] == "regressed")


def false_alarms(report, percent):
    return [row["name"] for row in report["rows"] if is_false_alarm(row, percent)]


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
    dearest = [each for each in map(dearest_row, reports.values()) if each]
    if dearest:
        print(f"* the dearest row of a run: median {median(each[0] for each in dearest):.2f} s; of all runs "
              f"{max(dearest)[0]:.2f} s, {max(dearest)[1]}")
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


def dearest_row(report):
    """Seconds and name, as the report's fact says them."""
    words = next((fact["value"] for fact in report["facts"] if fact["name"] == "dearest row"), "")
    seconds, _, name = words.partition(" s for ")
    return (float(seconds), name) if name else None


def print_layouts(reports, heads):
    """Runs of equal builds by the way in which the head was linked, where there are several."""
    layouts = sorted(set(heads[number] for number in reports if number in heads))
    if len(layouts) < 2:
        return
    print("\n## Equal builds, by the head's link\n")
    print("Of every row the median of the runs' estimates: what is far from 0 in one column is where the "
          "code lies.\n")
    print("| row | " + " | ".join(layouts) + " |\n|---|" + "---:|" * len(layouts))
    names = sorted(row["name"] for row in next(iter(reports.values()))["rows"])
    of = {layout: [report for number, report in reports.items() if heads.get(number) == layout]
          for layout in layouts}
    print("| *runs, red* | " + " | ".join(
        f"{len(of[each])}, {sum(bool(false_alarms(r, 0)) for r in of[each])}" for each in layouts) + " |")
    for name in names:
        cells = [median([value(row["change_ratio"]) for report in of[each] for row in report["rows"]
                         if row["name"] == name]) for each in layouts]
        print(f"| {name} | " + " | ".join(f"{100 * cell:+.1f} %" for cell in cells) + " |")


def pairs_of(path):
    """ln(head / base) of each pair of each row, by stage, from a log of --out-samples."""
    if not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    names = [subject["name"] for subject in lines[0]["subjects"]]
    halves = {}
    for record in lines[1:]:
        if "slices_ns" in record:
            key = (names[record["subject"]], record["stage"], record["block"], record["slot"] // 2)
            halves.setdefault(key, {})[record["side"]] = record["slices_ns"]
    pairs = {}
    for (name, stage, _, _), sides in sorted(halves.items()):
        if len(sides) == 2:
            ratios = sorted(math.log(h / b) for b, h in zip(sides["base"], sides["head"]))
            middle = len(ratios) // 2
            ratio = ratios[middle] if len(ratios) % 2 else (ratios[middle - 1] + ratios[middle]) / 2
            pairs.setdefault(name, {}).setdefault(stage, []).append(round(ratio, 5))
    return pairs


def estimates_of(report):
    """In 0.01 %, and the state where the row was called."""
    return {row["name"].removesuffix("/real_time"):
            [round(1e4 * value(row["change_ratio"])) if value(row["change_ratio"]) is not None else None] +
            ([row["state"]] if is_called(row) else []) for row in report["rows"]}


def hash_of_logs(folders):
    digest = hashlib.sha256()
    for folder in folders:
        for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
            if name.endswith(".jsonl"):
                with open(os.path.join(folder, name), "rb") as file:
                    digest.update(file.read())
    return digest.hexdigest()


def print_called(sets):
    """Rows that were called though nothing was planted in them: always the same ones, the same way, are
    where the code lies."""
    lines = []
    for percent, reports in sets.items():
        called = {}
        for report in reports.values():
            for row in report["rows"]:
                if is_false_alarm(row, percent):
                    key = (row["name"], row["state"], row["margin_ratio"])
                    called.setdefault(key, []).append(value(row["change_ratio"]))
        for (name, state, margin), ratios in sorted(called.items()):
            lines.append(f"| {'equal builds' if not percent else f'+{percent} %'} | {name} | {state} | "
                         f"{len(ratios)} of {len(reports)} | {100 * min(ratios):+.1f} to "
                         f"{100 * max(ratios):+.1f} % | {100 * margin:.1f} % |")
    if lines:
        print("\n## Called, and nothing was planted there\n")
        print("| runs | row | called | in | by | margin |\n|---|---|---|---:|---:|---:|")
        print("\n".join(lines))


def kept(report, percent):
    return {"exit_code": report["exit_code"], "contaminated": report["is_contaminated"],
            "false_alarms": false_alarms(report, percent),
            "planted_change_ratios": {row["name"]: [row["state"], value(row["change_ratio"])]
                                      for row in report["rows"] if percent and planted(row["name"])},
            "states": {state: sum(row["state"] == state for row in report["rows"])
                       for state in sorted({row["state"] for row in report["rows"]})}}


def main(folder, out, how="whole"):
    sets = {percent: reports_of(os.path.join(folder, name))
            for percent, name in ((0, "aa"), (5, "plus5"), (10, "plus10"))}
    times, heads = {}, {}
    with open(os.path.join(folder, "runs.txt"), encoding="utf-8") as file:
        loads = []
        for line in file:
            number, _, wall_ms, load, head = line.split()[-5:]
            times[int(number)] = int(wall_ms) / 1000
            heads[int(number)] = head
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
    print_layouts(sets[0], heads)
    print_called(sets)
    logs = {percent: os.path.join(folder, name) for percent, name in ((0, "aa"), (5, "plus5"), (10, "plus10"))}
    print(f"\nsha256 of the logs of all runs, in the order of their names: {hash_of_logs(logs.values())}")
    with open(out, "w", encoding="utf-8") as file:
        json.dump({"floors": floors["rows"], "runs": {
            f"plus{percent}": {number: kept(report, percent) | {
                "head": heads.get(number), "wall_s": times.get(number),
                **({"changes_by_10000": estimates_of(report)} if how == "brief" else
                   {"pairs": pairs_of(os.path.join(logs[percent], f"{number}.jsonl"))})}
                for number, report in reports.items()} for percent, reports in sets.items()}}, file)


if __name__ == "__main__":
    main(*sys.argv[1:])
