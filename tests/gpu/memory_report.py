# SPDX-FileCopyrightText: The Assay authors
# SPDX-License-Identifier: Apache-2.0
"""memory_report.py MEMORY_JSON PEERS_JSON: the tables of a run of memory_bench and offload_peers.py as
Markdown on stdout. What is missing has a row that says so."""
import json
import os
import sys


def read(path):
    if not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def limits_table(memory):
    print("| limit | stays | missed a step | step | streamed | of the pinned ceiling | bound | step / bound | taken, loaded "
          "| taken, at the end | load |")
    print("|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
    for row in memory.get("limits", []):
        gib = 2.0**30
        ceiling = sorted(row["copy_ceiling_bytes_per_s"])[len(row["copy_ceiling_bytes_per_s"]) // 2]
        print(f"| {row['limit_bytes'] / gib:.1f} GiB | {row['resident_bytes'] / 1e9:.3f} GB "
              f"| {row['missed_bytes_a_step'] / 1e9:.3f} GB | {1e3 * row['median_step_s']:.2f} ms "
              f"| {row['streamed_bytes_per_s'] / 1e9:.2f} GB/s "
              f"| {100 * row['link_ratio']:.1f} % of {ceiling / 1e9:.2f} | {1e3 * row['bound_s']:.2f} ms "
              f"| {row['bound_ratio']:.3f} | {row['taken_bytes_loaded'] / gib:.3f} GiB "
              f"| {row['taken_bytes_at_end'] / gib:.3f} GiB | {row['load_s']:.1f} s |")
    if not memory.get("limits"):
        print("| nothing was measured | | | | | | | | | | |")


def peers_table(memory, peers):
    ours = {round(row["limit_bytes"] / 2**30, 3): row["median_step_s"] for row in memory.get("limits", [])}
    beside = ", ".join(f"{limit:g} GiB" for limit in ours)
    print(f"\n| peer | step | our steps at {beside}: so many times faster |\n|---|---:|---|")
    for row in peers.get("peers", []):
        if "median_step_s" not in row:
            print(f"| {row['peer']} | {row['reason']} | |")
            continue
        times = ", ".join(f"{row['median_step_s'] / step_s:.1f}" for step_s in ours.values())
        print(f"| {row['peer']} | {1e3 * row['median_step_s']:.0f} ms | {times} |")
    if not peers.get("peers"):
        print("| nothing was measured | | |")
    versions = [f"{name} {peers[name]}" for name in ("accelerate", "torch", "transformers") if name in peers]
    print("\n" + ", ".join(versions))


if __name__ == "__main__":
    found_memory, found_peers = read(sys.argv[1]), read(sys.argv[2])
    limits_table(found_memory)
    peers_table(found_memory, found_peers)
