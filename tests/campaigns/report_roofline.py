#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Assay authors
# SPDX-License-Identifier: Apache-2.0
"""report_roofline.py ASSAY RUNS MODEL MODEL_RUNS OPENBLAS RAW.json: audits in a row of the embedded
checkpoint, then of MODEL; of each the two ceilings of its roofline, and where its operators lie under
them. Beside them products of 1024x1024x1024 by OPENBLAS, a shared library: they share no code with the
ceiling of arithmetic, and must lie below it and not far. Prints Markdown; fails where they do not, or
an operator lies above its roof without a word, or an audit finds."""
import ctypes
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

SIZE = 1024
NEAR = 0.6  # of the ceiling: what a good product reaches at the least


def one_run(assay, room, more):
    trace, document = os.path.join(room, "t"), os.path.join(room, "r.json")
    with open("/proc/loadavg", encoding="utf-8") as read:
        load = float(read.read().split()[0])
    audit = subprocess.run([assay, "audit", *more, "--out-trace", trace], capture_output=True, text=True)
    subprocess.run([assay, "report", trace, "--json", document], capture_output=True)
    with open(document, encoding="utf-8") as read:
        roofline = json.load(read)["roofline"]
    return {"exit_code": audit.returncode, "headline": audit.stdout.split("\n", 1)[0], "load": load,
            "roofline": roofline}


def products_in_a_process(library, threads, core):
    """Rates of products on so many threads, in a process of its own: OpenBLAS reads its settings once."""
    variables = {"OPENBLAS_NUM_THREADS": str(threads), **({"OPENBLAS_CORETYPE": core} if core else {})}
    done = subprocess.run([sys.executable, "-B", __file__, "--products", library], text=True, check=True,
                          capture_output=True, env={**os.environ, **variables})
    return json.loads(done.stdout)


def products(library):
    blas = ctypes.CDLL(library)
    blas.openblas_get_corename.restype = ctypes.c_char_p
    a, b, c = ((ctypes.c_float * (SIZE * SIZE))() for _ in range(3))
    for at in range(SIZE * SIZE):
        a[at], b[at] = at % 7 - 3, at % 5 - 2
    rates = []
    for _ in range(60):
        begun = time.perf_counter_ns()
        blas.cblas_sgemm(101, 111, 111, SIZE, SIZE, SIZE, ctypes.c_float(1), a, SIZE, b, SIZE,
                         ctypes.c_float(0), c, SIZE)
        rates.append(2 * SIZE ** 3 / (time.perf_counter_ns() - begun) * 1e9)
    # Small whole numbers: exact in f32, whatever the order of the sums.
    for row, column in ((0, 0), (5, 1023), (700, 33), (1023, 1022)):
        exact = sum(a[row * SIZE + k] * b[k * SIZE + column] for k in range(SIZE))
        if c[row * SIZE + column] != exact:
            sys.exit(f"a wrong product: {c[row * SIZE + column]} for {exact}")
    json.dump({"core": blas.openblas_get_corename().decode(), "rates": rates}, sys.stdout)


def figure(point, name, divisor=1.0, digits=3):
    value = point[name].get("value") if isinstance(point[name], dict) else point[name]
    return "-" if value is None else f"{value / divisor:,.{digits}f}"


def table_of(title, runs):
    print(f"\n## {title}\n\n| run | exit | load before | arithmetic, GFLOP/s | samples | reads, GB/s | tier | ridge, FLOP/B |")
    print("|---:|---:|---:|---:|---:|---:|---|---:|")
    for at, run in enumerate(runs, 1):
        line, one = run["roofline"], run["roofline"]["arithmetic"][0]
        print(f"| {at} | {run['exit_code']} | {run['load']:.2f} | {figure(one, 'operations_per_s', 1e9, 1)} | "
              f"{one['samples_count']} | {figure(line, 'read_bytes_per_s', 1e9, 1)} | {line['tier']} | "
              f"{figure(one, 'ridge_operations_per_byte')} |")
    print("\nOf all runs: the least, the middle, the most.\n")
    print("| operator | FLOP | FLOP/B by the records | achieved, GFLOP/s | of the roof, % | bound |")
    print("|---|---:|---:|---:|---:|---|")
    order = [(point["operator"], point["is_prefill"]) for point in runs[0]["roofline"]["points"]]
    for name in order:
        points = [point for run in runs for point in run["roofline"]["points"]
                  if (point["operator"], point["is_prefill"]) == name]
        if "value" not in points[0]["roof_ratio"]:
            print(f"| {name[0]} | - | - | - | - | it has no products |")
            continue
        spread = lambda field, divisor, digits: " / ".join(
            f"{value / divisor:,.{digits}f}" for value in (lambda all: (min(all), statistics.median(all), max(all)))(
                [point[field]["value"] for point in points]))
        print(f"| {name[0]} | {figure(points[0], 'operations', 1, 0)} | "
              f"{spread('told_operations_per_byte', 1, 3)} | {spread('operations_per_s', 1e9, 2)} | "
              f"{spread('roof_ratio', 0.01, 1)} | {', '.join(sorted({point['bound'] for point in points}))} |")


def main():
    assay, runs, model, model_runs, library, raw = sys.argv[1:]
    with tempfile.TemporaryDirectory() as room:
        embedded = [one_run(assay, room, []) for _ in range(int(runs))]
        more = ["--checkpoint", model, "--prompt", "In the beginning God created the heaven and the earth",
                "--max-new-tokens", "8", "--context", "256", "--arena", "4GiB"]
        synthetic = [one_run(assay, room, more) for _ in range(int(model_runs))]
    blas = {f"{threads} {core}".strip(): products_in_a_process(library, threads, core)
            for threads in (1, os.cpu_count()) for core in ("", "SkylakeX")}
    with open(raw, "w", encoding="utf-8") as out:
        json.dump({"embedded": embedded, "synthetic": synthetic, "openblas": blas}, out, indent=1)
        out.write("\n")
    table_of("The embedded checkpoint", embedded)
    table_of("A synthetic checkpoint of 0.6B", synthetic)
    ceilings = [run["roofline"]["arithmetic"][0]["operations_per_s"]["value"] for run in embedded + synthetic]
    print(f"\n## Beside OpenBLAS\n\nThe ceiling of arithmetic, of {len(ceilings)} runs: {min(ceilings) / 1e9:.1f}, in the "
          f"middle {statistics.median(ceilings) / 1e9:.1f}, {max(ceilings) / 1e9:.1f} GFLOP/s.\n")
    print("| threads | kernels | 60 products, the slowest | middle | fastest | of the ceiling, per thread |")
    print("|---:|---|---:|---:|---:|---:|")
    wrong, shares = [], {}
    for name, one in blas.items():
        threads = int(name.split()[0])
        of_ceiling = max(one["rates"]) / (statistics.median(ceilings) * threads / os.cpu_count())
        shares.setdefault(threads, []).append(of_ceiling)
        print(f"| {threads} | {one['core']} | {min(one['rates']) / 1e9:.1f} | "
              f"{statistics.median(one['rates']) / 1e9:.1f} | {max(one['rates']) / 1e9:.1f} | {of_ceiling:.3f} |")
    # On one thread the core may run faster than with all at work: only of all threads the ceiling is one.
    if not NEAR <= max(shares[os.cpu_count()]) <= 1.0:
        wrong.append(f"OpenBLAS reaches {max(shares[os.cpu_count()]):.3f} of the ceiling")
    wrong += [run["headline"] for run in embedded + synthetic if run["exit_code"] == 1]
    return "; ".join(wrong) if wrong else 0


if __name__ == "__main__":
    if sys.argv[1] == "--products":
        products(sys.argv[2])
    else:
        sys.exit(main())
