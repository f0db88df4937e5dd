# SPDX-FileCopyrightText: The Assay authors
# SPDX-License-Identifier: Apache-2.0
"""observer_cost.py BENCH FILE [--blocks N] [--checkpoint DIR]…: what the observers of a GPU cost a decode step.

CUPTI has one session a process, so its arms are processes that take turns, in blocks of
bare node graph graph node bare. Writes FILE.json (raw samples) after each process and FILE.md at the end.
"""
import argparse
import json
import statistics
import subprocess
import sys

SHAPES = ("qwen3-0.6b", "llama-3.2-1b", "llama-3-8b")
ORDER = ("bare", "node", "graph", "graph", "node", "bare")


def measured(bench, *words):
    done = subprocess.run([bench, *words], capture_output=True, text=True, timeout=120)
    if done.returncode != 0:
        reason = (done.stderr.strip().splitlines() or ["no output"])[-1]
        return {"what": words[0], "words": words, "reason": f"exit {done.returncode}: {reason}"}
    # To a nanosecond: the raw samples are kept.
    return json.loads(done.stdout.strip().splitlines()[-1], parse_float=lambda text: round(float(text), 9))


def ratio_words(ratios):
    ratios = sorted(ratios)
    return f"{statistics.median(ratios):.4f} ({ratios[0]:.4f} to {ratios[-1]:.4f}, n={len(ratios)})"


def of(rows, **wanted):
    return [r for r in rows if "reason" not in r and all(r.get(k) == v for k, v in wanted.items())]


def block_ratios(rows, shape, level, field):
    """Per block: two processes of the level over the two bare ones."""
    ratios = []
    for block in sorted({r["block"] for r in of(rows, what="records", shape=shape)}):
        mean = {}
        for name in (level, "bare"):
            medians = [statistics.median(r[field]) for r in
                       of(rows, what="records", shape=shape, block=block, level=name)]
            if len(medians) == 2:
                mean[name] = sum(medians) / 2
        if len(mean) == 2:
            ratios.append((mean[level] / mean["bare"], mean[level] - mean["bare"]))
    return ratios


def records_table(rows):
    yield "| shape | level | step ÷ bare step: median (least to most) | ns a kernel | kernels a step |"
    yield "|---|---|---|---:|---:|"
    for shape in SHAPES:
        for level in ("node", "graph"):
            ratios = block_ratios(rows, shape, level, "overlapping_step_s")
            if not ratios:
                continue
            kernels = of(rows, what="records", shape=shape)[0]["kernels_per_step"]
            a_kernel_ns = statistics.median(d for _, d in ratios) / kernels * 1e9
            yield (f"| {shape} | {level} | {ratio_words([r for r, _ in ratios])} | "
                   f"{a_kernel_ns:.0f} | {kernels} |")


def overlap_table(rows):
    yield "| shape | level | in order ÷ overlapping, medians | kernels that begin before the one ahead ended |"
    yield "|---|---|---:|---|"
    for shape in SHAPES:
        for level in ("bare", "node", "graph"):
            found = of(rows, what="records", shape=shape, level=level)
            if not found:
                continue
            gain = statistics.median(statistics.median(r["in_order_step_s"]) /
                                     statistics.median(r["overlapping_step_s"]) for r in found)
            seen = [r["overlap"] for r in found if "overlap" in r]
            words = "not recorded" if not seen else \
                f"{seen[0]['overlapping']} of {seen[0]['kernels'] - 1} by their records"
            yield f"| {shape} | {level} | {gain:.4f} | {words} |"


def pair_table(rows):
    yield "| what | of | on ÷ off: median (least to most) | step without |"
    yield "|---|---|---|---:|"
    for r in of(rows, what="events"):
        for arm, words in (("recorded", "the runtime's three events, not read"),
                           ("runtime", "the runtime's three events"),
                           ("harness", "those and the harness's brackets")):
            ratios = [a / b for a, b in zip(r[f"{arm}_step_s"], r["none_step_s"])]
            yield (f"| {words} | {r['shape']} | {ratio_words(ratios)} | "
                   f"{statistics.median(r['none_step_s']) * 1e6:.1f} µs |")
    for r in of(rows, what="counters"):
        ratios = [a / b for a, b in zip(r["on_step_s"], r["off_step_s"])]
        yield (f"| counters | {r['checkpoint'].rstrip('/').split('/')[-1]} | {ratio_words(ratios)} | "
               f"{statistics.median(r['off_step_s']) * 1e6:.1f} µs |")


def report(rows):
    lines = ["# What the observers of a GPU cost a decode step", "",
             "Raw samples: the JSON file beside this one. A ratio is of a block of processes (records) or of turns "
             "within one process (events, counters).", ""]
    for title, table in (("CUPTI's records", records_table), ("Does programmatic dependent launch overlap?", overlap_table),
                         ("Events and counters", pair_table)):
        lines += [f"## {title}", "", *table(rows), ""]
    lines += [f"* {' '.join(r['words'])}: {r['reason']}" for r in rows if "reason" in r]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bench")
    parser.add_argument("file")
    parser.add_argument("--blocks", type=int, default=3)
    parser.add_argument("--checkpoint", action="append", default=[])
    options = parser.parse_args()
    rows = []

    def take(block, *words):
        row = measured(options.bench, *words)
        row["block"] = block
        rows.append(row)
        with open(options.file + ".json", "w", encoding="utf-8") as file:
            json.dump(rows, file)
        print(" ".join(words), row.get("reason", "measured"), flush=True)

    for checkpoint in options.checkpoint:
        take(0, "counters", checkpoint)
    for shape in SHAPES:
        take(0, "events", shape)
    for block in range(options.blocks):
        for shape in SHAPES:
            for level in ORDER:
                take(block, "records", shape, level)
    text = report(rows)
    with open(options.file + ".md", "w", encoding="utf-8") as file:
        file.write(text)
    print(text)
    return 1 if any("reason" in r for r in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
