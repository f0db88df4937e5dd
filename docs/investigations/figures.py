# SPDX-FileCopyrightText: The Assay authors
# SPDX-License-Identifier: Apache-2.0
"""The figures of an investigation as Markdown, out of the JSON of its reports. Nothing here is
measured; what a report has not is said to be missing, never 0."""
import json
import sys


def read(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def one(rows, **wanted):
    for row in rows:
        if all(row.get(key) == value for key, value in wanted.items()):
            return row
    sys.exit(f"figures: the report has no {wanted}")


def counter(report, name):
    claimed = one(report["audit"]["counters"], name=name)["claimed"]
    if "value" not in claimed:
        sys.exit(f"figures: {name} has no value: {claimed['absence']}")
    return claimed["value"]


def fact(report, name):
    return next((each["value"] for each in report["audit"]["facts"] if each["name"] == name), "?")


def conditions(report):
    for name in ("processor", "cores", "kernel", "compiler", "build id", "launch threads",
                 "instruction set", "load average before", "load average after"):
        print(f"* {name}: {fact(report, name)}")
    print()


def table(head, rows):
    print("| " + " | ".join(head) + " |")
    print("|" + "|".join(" --- " if at == 0 else " ---: " for at in range(len(head))) + "|")
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print()


def ms(ns):
    return f"{ns / 1e6:.3f} ms"


def signed_us(ns):
    return f"{ns / 1e3:+.2f} µs"


def enqueue_timed_transfer(honest_path, lying_path, difference_path):
    honest, lying, both = read(honest_path), read(lying_path), read(difference_path)
    time, amount = "runtime.paging.h2d_ns", "runtime.paging.h2d_bytes"
    wall = lying["decode"]["wall_ns"] + lying["prefill"]["wall_ns"]
    off = one(lying["deviations"], name=time, against="records of its work")
    rows = []
    for who, report in (("stops when the copies are enqueued", lying), ("honest, events", honest)):
        claimed, moved = counter(report, time), counter(report, amount)
        rows.append([who, ms(claimed), f"{100 * claimed / wall:.2f} %", f"{moved:,} B",
                     f"{moved / claimed:.1f} GB/s",
                     one(report["audit"]["counters"], name=time)["verdict"]])
    records = counter(lying, time) - off["total"]
    moved = counter(lying, amount)
    rows.append(["the device's records", ms(records), f"{100 * records / wall:.2f} %",
                 f"{moved:,} B", f"{moved / records:.1f} GB/s", "-"])
    print("# An enqueue-timed transfer: figures\n")
    conditions(lying)
    table(["timer of page-ins", "time", "of all passes", "bytes", "bytes over time", "audit"], rows)
    line = one(lying["bandwidths"], subject=time)
    print(f"* passes: {lying['decode']['passes_count']} decode steps and "
          f"{lying['prefill']['passes_count']} prefills, {ms(wall)} in all")
    for name, key in (("measured", "soft_bytes_per_s"), ("hard", "hard_bytes_per_s")):
        print(f"* {name} ceiling of {line['link']}: {line[key]['value'] / 1e9:.1f} GB/s")
    print(f"* the report calls the liar's bandwidth: {line['verdict']}")
    print(f"* too short by a factor of {records / counter(lying, time):.1f}")
    found = ", ".join(sorted({each["rule"] for each in lying["audit"]["findings"]})) or "none"
    print(f"* rules that speak on the liar's trace: {found}; on the honest one's: "
          f"{', '.join(sorted({e['rule'] for e in honest['audit']['findings']})) or 'none'}")
    unequal = [each["subject"] for each in both["counts"] if each["verdict"] != "same"]
    told = [each["subject"] for each in both["times"] if "no difference" not in each["verdict"]]
    print(f"* honest beside lying, by the device's records: {len(unequal)} of "
          f"{len(both['counts'])} exact amounts and {len(told)} of {len(both['times'])} times differ")


def rates(report):
    lookups = counter(report, "runtime.paging.lookups_count")
    return (counter(report, "runtime.paging.hits_count") / lookups,
            counter(report, "runtime.paging.hit_bytes")
            / counter(report, "runtime.paging.lookup_bytes"))


def residency_budget(least, larger, *paths):
    pairs = [read(path) for path in paths]
    sides = [(int(least), pairs[0]["first"]), (int(larger), pairs[0]["second"])]
    print("# A residency budget that changed nothing: figures\n")
    conditions(pairs[0]["first"])
    rows = []
    for limit, report in sides:
        by_count, by_bytes = rates(report)
        passes = report["decode"]["passes_count"] + report["prefill"]["passes_count"]
        moved = counter(report, "runtime.paging.h2d_bytes")
        rows.append([f"{limit:,} B", f"{counter(report, 'runtime.paging.resident_bytes'):,} B",
                     f"{100 * by_count:.2f} %", f"{100 * by_bytes:.3f} %",
                     f"{moved / passes:,.0f} B"])
    table(["limit", "weights that stay", "hit rate by count", "hit rate by bytes",
           "paged in each pass"], rows)
    first, second = (counter(side, "runtime.paging.h2d_bytes") for _, side in sides)
    print(f"* bytes paged in: {100 * (second / first - 1):+.3f} %, token ids "
          f"{pairs[0]['token_ids']}\n")
    rows = []
    for at, pair in enumerate(pairs, 1):
        step = pair["times"][0]
        bounds = step["interval"]
        rows.append([str(at), f"{step['first_ns'] / 1e3:.1f} µs", f"{step['second_ns'] / 1e3:.1f} µs",
                     signed_us(step["change_ns"]),
                     f"{signed_us(bounds['low_ns'])} … {signed_us(bounds['high_ns'])}"
                     if "low_ns" in bounds else bounds["absence"],
                     f"{step['margin_ns'] / 1e3:.1f} µs", step["verdict"]])
    table(["pair", "step, least limit", "step, larger limit", "change", "interval", "counts from",
           "verdict"], rows)
    changes = sorted(pair["times"][0]["change_ns"] for pair in pairs)
    middle = (changes[(len(changes) - 1) // 2] + changes[len(changes) // 2]) / 2
    print(f"* of the {len(pairs)} pairs {sum(each > 0 for each in changes)} got slower and "
          f"{sum(each < 0 for each in changes)} faster: by {signed_us(middle)} in the middle, from "
          f"{signed_us(changes[0])} to {signed_us(changes[-1])}")
    # A pair is two processes: six or more whose range holds 0 show no change at 95 %.
    is_shown = len(changes) >= 6 and (changes[0] > 0 or changes[-1] < 0)
    print(f"* over all pairs: {'a difference' if is_shown else 'no difference that this data can show'}")


if __name__ == "__main__":
    {"enqueue-timed-transfer": enqueue_timed_transfer,
     "residency-budget": residency_budget}[sys.argv[1]](*sys.argv[2:])
