# SPDX-FileCopyrightText: The Assay authors
# SPDX-License-Identifier: Apache-2.0
"""guard_speed.py PROGRAM [RUNS]: how long the guard takes over 10,000 metrics in two snapshots and a
source tree of a million lines with its documents, all made here. Prints Markdown."""
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time

METRICS = 10_000
FILES = 2_000
LINES_A_FILE = 500
DEAD = 7  # metrics that no source writes: the guard must find them in all that


def exposition(step):
    lines = []
    for i in range(METRICS):
        name = f"app_part{i % 97}_{i}_total"
        lines += [f"# HELP {name} Events of part {i % 97}.", f"# TYPE {name} counter",
                  f'{name}{{path="/p/{i % 13}",code="200"}} {i + step * (i % 5 + 1)}']
    return "\n".join(lines) + "\n"


def source_file(at):
    """Every metric once over the tree, the rest is code like any."""
    lines = ["#include <string>", "namespace app {"]
    for i in range(at, METRICS, FILES):
        if i >= DEAD:
            lines.append(f'  counter* const c{i} = registry.add("app_part{i % 97}_{i}_total");')
    while len(lines) < LINES_A_FILE - 1:
        n = len(lines)
        lines.append(("  // a comment that says app_part0_0_total",
                      f'  if (value_{n} > {n}) log("took {{}} of {n}", value_{n});',
                      f"  const auto value_{n + 1} = compute(value_{n}, {n}) + table[{n} % size];",
                      "")[n % 4])
    lines.append("}  // namespace app")
    return "\n".join(lines) + "\n"


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def make(folder):
    for step in (0, 1):
        write(f"{folder}/m{step}.prom", exposition(step))
    for at in range(FILES):
        write(f"{folder}/src/d{at % 40}/f{at}.cpp", source_file(at))
    write(f"{folder}/docs/metrics.md",
          "".join(f"`app_part{i % 97}_{i}_total` counts events.\n" for i in range(METRICS)))


def main():
    program = os.path.abspath(sys.argv[1])
    runs = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    with tempfile.TemporaryDirectory() as folder:
        make(folder)
        contract = subprocess.run([program, "guard", "--init", "m0.prom"], cwd=folder, check=True,
                                  capture_output=True, text=True).stdout
        write(f"{folder}/c.json", contract)
        command = [program, "guard", "--contract", "c.json", "--metrics", "m0.prom", "--metrics",
                   "m1.prom", "--docs", "docs", "--source", "src"]
        took, used = [], []
        for _ in range(runs):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            start = time.monotonic()
            ran = subprocess.run(command, cwd=folder, capture_output=True, text=True)
            took.append(time.monotonic() - start)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            used.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        dead = sum(1 for line in ran.stdout.splitlines()
                   if "no string of the source is its name" in line)
        print(f"`assay guard` over {METRICS:,} metrics in two snapshots, {FILES * LINES_A_FILE:,} "
              f"lines of source in {FILES:,} files, a page of {METRICS:,} lines; {runs} runs.\n")
        print("| | median | slowest |\n|---|---:|---:|")
        print(f"| wall | {statistics.median(took):.2f} s | {max(took):.2f} s |")
        print(f"| processor | {statistics.median(used):.2f} s | {max(used):.2f} s |")
        print(f"| peak memory | {after.ru_maxrss / 1024:.0f} MiB | |\n")
        print(f"It ended with {ran.returncode} and found {dead} of {DEAD} metrics that nothing "
              "writes.")
        return 0 if dead == DEAD and ran.returncode == 1 else 1


if __name__ == "__main__":
    sys.exit(main())
