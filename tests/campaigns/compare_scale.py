# SPDX-FileCopyrightText: The Assay authors
# SPDX-License-Identifier: Apache-2.0
"""compare_scale.py ASSAY FOLDER: reads 100 MB of Google Benchmark JSON, and renders 10,000 rows in each
form. Times are CPU time of the process (user and system), five calls each, all printed."""
import json
import os
import random
import resource
import subprocess
import sys

CALLS = 5
CONTEXT = {"date": "2026-12-02T00:00:00+00:00", "host_name": "h", "num_cpus": 2, "mhz_per_cpu": 2000,
           "library_build_type": "release"}


def row(name, ns):
    return {"name": name, "family_index": 0, "per_family_instance_index": 0, "run_name": name,
            "run_type": "iteration", "repetitions": 1, "repetition_index": 0, "threads": 1,
            "iterations": 1000, "real_time": ns, "cpu_time": ns * 0.99, "time_unit": "ns",
            "bytes_per_second": 1.5e9, "items_per_second": 2.5e6, "label": "width 1"}


def write(path, count, most_bytes, draw):
    """`count` names over and over, as so many repetitions of each, up to about that many bytes."""
    written = 0
    with open(path, "w", encoding="utf-8") as out:
        out.write('{"context": ' + json.dumps(CONTEXT) + ', "benchmarks": [\n')
        at = 0
        while written < most_bytes or at < count:
            text = (",\n" if at else "") + json.dumps(row(f"BM_row/{at % count}/threads:1",
                                                        1000 * draw.lognormvariate(0, 0.01)), indent=1)
            out.write(text)
            written += len(text)
            at += 1
        out.write("\n]}\n")
    return at


def cpu_s(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    code = subprocess.run(command, stdout=subprocess.DEVNULL, check=False).returncode
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert code in (0, 4), (code, command)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def times(command):
    return sorted(cpu_s(command) for _ in range(CALLS))


def words(seconds):
    return ", ".join(f"{each:.2f}" for each in seconds) + f" s; median {seconds[len(seconds) // 2]:.2f} s"


def main(assay, folder):
    os.makedirs(folder, exist_ok=True)
    draw = random.Random(1)
    big, small = os.path.join(folder, "big.json"), os.path.join(folder, "small.json")
    rows = write(big, 500, 100_000_000, draw)
    write(small, 500, 0, draw)
    table = [os.path.join(folder, f"table-{side}.json") for side in "ab"]
    for path in table:
        write(path, 10_000, 0, draw)
    print("CPU time of `assay compare` as a whole, sorted.\n")
    print(f"* {os.path.getsize(big):,} bytes, {rows:,} results of 500 rows, against a file of 500 results: "
          f"{words(times([assay, 'compare', big, small]))}")
    plain = times([assay, "compare", *table])
    print(f"* 10,000 rows against 10,000 ({os.path.getsize(table[0]):,} bytes each), read, judged and "
          f"rendered as text: {words(plain)}")
    for form in ("json", "markdown", "html", "junit"):
        path = os.path.join(folder, f"report.{form}")
        both = times([assay, "compare", *table, f"--out-{form}", path])
        print(f"* the same and {form} ({os.path.getsize(path):,} bytes): {words(both)}; more than without: "
              f"{both[len(both) // 2] - plain[len(plain) // 2]:.2f} s")
    for path in (big, small, *table):
        os.remove(path)


if __name__ == "__main__":
    main(*sys.argv[1:])
