# SPDX-FileCopyrightText: The Assay authors
# SPDX-License-Identifier: Apache-2.0
"""Weights that are larger than memory: left to the operating system's page cache, or with a part
that stays. Both arms decode the same text in memory cgroups of one size; what does not stay is read
from the mapping of its file, and the kernel keeps as much of it as the group has room for.

usage: page_cache.py PROGRAM CHECKPOINT OUT.json [TOKENS [PAIRS [RATIO]]]
  RATIO: memory beside the resident head and buffers, over the bytes of the layers (default 0.75)

Clock: the program's own, mean time between tokens. Bytes from the disk and major faults are the
kernel's account of the process (/proc/PID/io, /proc/PID/stat) from its first token to its end; the
disk's own rate is that of O_DIRECT reads of the same file, before each pair and after the last.
Exit 3 where no memory cgroup can be made: nothing was measured."""
import concurrent.futures
import json
import mmap
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
PIECE_BYTES = 8 << 20  # of a read of the disk's own rate: the read-ahead window of this disk
DISK_LOOK_BYTES = 512 << 20
DISK_READERS = 4
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


def account_of(pid):
    """Bytes that the kernel fetched from a disk for it, its major faults, and when. Of a process
    that has ended, too, as long as nobody has waited for it."""
    with open(f"/proc/{pid}/io") as file:
        read_bytes = int(re.search(r"^read_bytes: (\d+)", file.read(), re.M)[1])
    with open(f"/proc/{pid}/stat") as file:
        major_faults = int(file.read().rsplit(")", 1)[1].split()[9])
    return read_bytes, major_faults, time.monotonic()


def disk_bytes_per_s(folder):
    """What the disk gives without a page cache, several pieces asked for at once: one at a time it
    gives less than read-ahead gets of it."""
    def read_from(reader):
        piece = mmap.mmap(-1, PIECE_BYTES)
        for at in range(reader * PIECE_BYTES, DISK_LOOK_BYTES, DISK_READERS * PIECE_BYTES):
            os.preadv(file, [piece], at)

    file = os.open(f"{folder}/model.safetensors", os.O_RDONLY | os.O_DIRECT)
    begin = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(DISK_READERS) as readers:
        list(readers.map(read_from, range(DISK_READERS)))
    seconds = time.monotonic() - begin
    os.close(file)
    return DISK_LOOK_BYTES / seconds


def run(program, model, limit_bytes, tokens, group_bytes):
    drop(model)
    with Group(group_bytes) as group:
        process = subprocess.Popen(
            [program, "decode", "--checkpoint", model, "--context", str(CONTEXT), "--arena", "64GiB",
             "--vram-limit", f"{limit_bytes}B", "--max-new-tokens", str(tokens)],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=group.join)
        first = process.stdout.read(1)  # the first token's text: load and prefill are over
        before = account_of(process.pid)
        text = first + process.stdout.read()
        told = process.stderr.read().decode()
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        after = account_of(process.pid)
        figures = re.search(r"(\d+) decode steps, ITL ([\d.]+) ms", told)
        if process.wait() != 0 or not figures:
            sys.exit(f"page_cache: exit {process.returncode}: {told.strip()[-400:]}")
        claimed = dict(re.findall(r"^  runtime\.paging\.(\w+)\s+(\d+)$", told, re.M))
        steps = int(figures[1])
        return {"step_s": float(figures[2]) / 1e3, "steps": steps,
                "disk_bytes_a_step": (after[0] - before[0]) // steps,
                "major_faults_a_step": (after[1] - before[1]) / steps,
                "account_s": after[2] - before[2],
                "load_disk_bytes": before[0], "peak_bytes": group.peak_bytes(),
                "resident_bytes": int(claimed["resident_bytes"]),
                "streamed_bytes_a_step": int(claimed["h2d_bytes"]) // (steps + 1),
                "text": text.decode(), "mechanism": f"memory cgroup {group.version}"}


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
    disk = []
    for pair in range(pairs):
        disk.append(disk_bytes_per_s(model))
        for name in (list(arms) if pair % 2 == 0 else list(arms)[::-1]):
            samples[name].append(run(program, model, arms[name], tokens, group_bytes))
    disk.append(disk_bytes_per_s(model))
    texts = {each["text"] for name in arms for each in samples[name]}
    if len(texts) != 1:
        sys.exit("page_cache: the arms decoded different texts")
    with open(out, "w") as file:
        json.dump({"group_bytes": group_bytes, "arms": arms, "disk_bytes_per_s": disk,
                   "samples": samples}, file, indent=1)
    print(f"mechanism: {samples['page cache'][0]['mechanism']} of {group_bytes:,} bytes, "
          f"{least_plan['step_bytes']:,} bytes of weights a step; {pairs} pairs, {tokens - 1} steps each")
    tell(samples, disk)


def tell(samples, disk):
    def of(name, key):
        return median([each[key] for each in samples[name]])

    print(f"the disk alone, {DISK_READERS} x {PIECE_BYTES >> 20} MiB at a time past the page cache: median "
          f"{median(disk) / 1e6:.0f} MB/s, {min(disk) / 1e6:.0f} to {max(disk) / 1e6:.0f}")
    print("\n| arm | stays | streamed a step | from the disk a step | of what is streamed | "
          "major faults a step | from the disk, of that rate | step, median |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|")
    for name in samples:
        rate = of(name, "disk_bytes_a_step") / of(name, "step_s")
        print(f"| {name} | {of(name, 'resident_bytes') / 1e6:.1f} MB | "
              f"{of(name, 'streamed_bytes_a_step') / 1e6:.1f} MB | "
              f"{of(name, 'disk_bytes_a_step') / 1e6:.1f} MB | "
              f"{of(name, 'disk_bytes_a_step') / of(name, 'streamed_bytes_a_step'):.2f} | "
              f"{of(name, 'major_faults_a_step'):.0f} | {rate / median(disk):.2f} | "
              f"{of(name, 'step_s') * 1e3:.1f} ms |")
    cached, kept = samples["page cache"], samples["resident part"]
    ratios = [a["step_s"] / b["step_s"] for a, b in zip(cached, kept)]
    print(f"\nwith a part that stays a step reads 1/"
          f"{of('page cache', 'disk_bytes_a_step') / of('resident part', 'disk_bytes_a_step'):.2f} of the "
          f"bytes and is {median(ratios):.2f} times as fast (median of pairs, {min(ratios):.2f} to "
          f"{max(ratios):.2f}); the texts are one")


if __name__ == "__main__":
    main()
