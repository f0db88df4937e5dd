# SPDX-FileCopyrightText: The Assay authors
# SPDX-License-Identifier: Apache-2.0
"""Weights that are larger than memory: left to the operating system's page cache, or with a part
that stays. Both arms decode the same text in memory cgroups of one size; what does not stay is read
from the mapping of its file, and the kernel keeps as much of it as the group has room for.

usage: page_cache.py PROGRAM CHECKPOINT OUT.json [TOKENS [PAIRS [RATIO]]]
  RATIO: memory beside the resident head and buffers, over the bytes of the layers (default 0.75)

Clock: the program's own, mean time between tokens; bytes from the disk are the kernel's account of
the process (/proc/PID/io). Exit 3 where no memory cgroup can be made: nothing was measured."""
import json
import os
import re
import subprocess
import sys
import time

CONTEXT = 64
# The program beside its arena: 42 MB by the group's own account, before the arena is filled.
PROCESS_BYTES = 48 << 20
# Of what the group has for weights, left to the page cache by the arm with a resident part: where the
# kernel has no room for what it reads ahead, each page is read several times.
READ_AHEAD_BYTES = 96 << 20
ROOTS = [("/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.max_usage_in_bytes", "v1"),
         ("/sys/fs/cgroup", "memory.max", "memory.peak", "v2")]


class Group:
    """A memory cgroup of its own; gone with the scope."""

    def __init__(self, limit_bytes):
        self.limit_bytes = limit_bytes

    def __enter__(self):
        for root, limit, peak, version in ROOTS:
            path = f"{root}/assay-page-cache-{os.getpid()}"
            try:
                os.mkdir(path)
            except OSError:
                continue
            try:
                with open(f"{path}/{limit}", "w") as file:
                    file.write(str(self.limit_bytes))
                self.path, self.peak, self.version = path, peak, version
                return self
            except OSError:
                os.rmdir(path)
        print("page_cache: no memory cgroup can be made here; run as root where one can: nothing was "
              "measured", file=sys.stderr)
        sys.exit(3)

    def __exit__(self, *_):
        for _ in range(50):
            try:
                os.rmdir(self.path)
                return
            except OSError:  # the last pages of its process are still being given back
                time.sleep(0.1)

    def join(self):
        with open(f"{self.path}/cgroup.procs", "w") as file:
            file.write(str(os.getpid()))

    def peak_bytes(self):
        try:
            with open(f"{self.path}/{self.peak}") as file:
                return int(file.read())
        except OSError:
            return None


def drop(folder):
    """What another group read is charged to that group: each run begins with none of it in memory."""
    for name in os.listdir(folder):
        with open(f"{folder}/{name}", "rb") as file:
            os.fsync(file.fileno())
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def plan(program, model, limit):
    told = subprocess.run([program, "plan", model, "--context", str(CONTEXT), "--arena", "64GiB",
                           "--vram-limit", limit, "--json"], capture_output=True, text=True)
    return json.loads(told.stdout)


def read_bytes_of(process):
    """Of the last look before its end: the account goes with the process."""
    last = 0
    while process.poll() is None:
        try:
            with open(f"/proc/{process.pid}/io") as file:
                last = int(re.search(r"^read_bytes: (\d+)", file.read(), re.M)[1])
        except (OSError, TypeError):
            break
        time.sleep(0.01)
    return last


def run(program, model, limit_bytes, tokens, group_bytes):
    drop(model)
    with Group(group_bytes) as group:
        process = subprocess.Popen(
            [program, "decode", "--checkpoint", model, "--context", str(CONTEXT), "--arena", "64GiB",
             "--vram-limit", f"{limit_bytes}B", "--max-new-tokens", str(tokens)],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=group.join)
        disk_bytes = read_bytes_of(process)
        text, told = process.communicate()
        figures = re.search(r"(\d+) decode steps, ITL ([\d.]+) ms", told)
        if process.returncode != 0 or not figures:
            sys.exit(f"page_cache: exit {process.returncode}: {told.strip()[-400:]}")
        claimed = dict(re.findall(r"^  runtime\.paging\.(\w+)\s+(\d+)$", told, re.M))
        return {"step_s": float(figures[2]) / 1e3, "steps": int(figures[1]),
                "disk_bytes": disk_bytes, "peak_bytes": group.peak_bytes(),
                "resident_bytes": int(claimed["resident_bytes"]),
                "streamed_bytes_a_step": int(claimed["h2d_bytes"]) // (int(figures[1]) + 1),
                "text": text, "mechanism": f"memory cgroup {group.version}"}


def median(values):
    ordered = sorted(values)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else sum(ordered[middle - 1:middle + 1]) / 2


def main():
    program, model, out = sys.argv[1:4]
    tokens, pairs = (int(each) for each in (sys.argv[4:6] + ["9", "3"][len(sys.argv[4:6]):]))
    ratio = float(sys.argv[6]) if len(sys.argv) > 6 else 0.75
    least = plan(program, model, "0.9")["least_limit_bytes"]
    least_plan = plan(program, model, f"{least}B")
    room = int(ratio * least_plan["streamed_bytes_per_step"])
    group_bytes = least + room + PROCESS_BYTES
    arms = {"page cache": least, "resident part": least + max(room - READ_AHEAD_BYTES, 0)}
    samples = {name: [] for name in arms}
    for pair in range(pairs):
        for name in (list(arms) if pair % 2 == 0 else list(arms)[::-1]):
            samples[name].append(run(program, model, arms[name], tokens, group_bytes))
    texts = {each["text"] for name in arms for each in samples[name]}
    if len(texts) != 1:
        sys.exit("page_cache: the arms decoded different texts")
    step = {name: median([each["step_s"] for each in samples[name]]) for name in arms}
    with open(out, "w") as file:
        json.dump({"group_bytes": group_bytes, "arms": arms, "samples": samples}, file, indent=1)
    print(f"mechanism: {samples['page cache'][0]['mechanism']} of {group_bytes:,} bytes, "
          f"{least_plan['step_bytes']:,} bytes of weights a step; {pairs} pairs, {tokens - 1} steps each")
    print("\n| arm | stays | streamed a step | from the disk, whole run | step, median |")
    print("|---|---:|---:|---:|---:|")
    for name in arms:
        each = samples[name]
        print(f"| {name} | {each[0]['resident_bytes'] / 1e6:.1f} MB | "
              f"{each[0]['streamed_bytes_a_step'] / 1e6:.1f} MB | "
              f"{median([one['disk_bytes'] for one in each]) / 1e6:.0f} MB | {step[name] * 1e3:.1f} ms |")
    print(f"\nwith a part that stays a step is {step['page cache'] / step['resident part']:.2f} times as fast; "
          "the texts are one")


if __name__ == "__main__":
    main()
