# SPDX-FileCopyrightText: The Assay authors
# SPDX-License-Identifier: Apache-2.0
"""compare_lanes.py ROOM OUT SECONDS LANES: real comparisons on a machine of many cores, in lanes of two
cores each that compare side by side, every lane beside other work on its own cores. ROOM holds assay and
{base,relk,pls5,pl10}/bench; OUT then holds what compare_tally.py reads. First every lane measures equal
builds for the floors, which are pooled; then comparisons of equal builds and of planted changes take
turns until the time is over. Each comparison that was begun is there: none is left out."""
import itertools
import json
import os
import subprocess
import sys
import threading
import time

FLOOR_SHARE = 0.35  # of the time at most
RESULTS = 42        # of a row, over all lanes
METHOD = ["--slice", "1ms", "--confirm-pairs", "24"]
SCREEN = ["--screen-pairs", "12"]
PLAN = [("aa", "relk"), ("aa", "relk"), ("aa", "relk"), ("plus5", "pls5"), ("plus10", "pl10")]
OTHER_WORK = "while :; do gzip -c {assay} >/dev/null; done"


class Campaign:
    def __init__(self, room, out, seconds, lanes):
        self.room, self.out, self.lanes = os.path.abspath(room), os.path.abspath(out), lanes
        self.start, self.seconds = time.monotonic(), seconds
        with open(os.path.join(room, "rows.txt"), encoding="utf-8") as file:
            self.rows = file.read().strip()
        cores = sorted(os.sched_getaffinity(0))
        self.cores = [f"{cores[(2 * i) % len(cores)]},{cores[(2 * i + 1) % len(cores)]}" for i in range(lanes)]
        # For assay and its children alone: the machine's own programs want its own libraries.
        libraries = os.path.join(self.room, "lib")
        self.settings = [f"LD_LIBRARY_PATH={libraries}"] if os.path.isdir(libraries) else []
        self.lock, self.numbers = threading.Lock(), itertools.count()

    def left(self):
        return self.seconds - (time.monotonic() - self.start)

    def compare(self, lane, *words):
        command = ["taskset", "-c", self.cores[lane], "env", *self.settings, "./assay", "compare", *words]
        done = subprocess.run(command, cwd=self.room, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                              text=True, check=False)
        if done.returncode not in (0, 1, 3, 4):
            raise SystemExit(f"{' '.join(command[:6])} …: {done.returncode}: {done.stderr}")
        return done

    def both(self, head):
        return ["--base-bin", "base/bench", "--head-bin", f"{head}/bench", "--scenarios", self.rows, *METHOD]

    def calibrate(self, lane):
        floors = os.path.join(self.out, f"lane-{lane}.json")
        done = self.compare(lane, "--calibrate", floors, *self.both("relk"), "--budget",
                            f"{int(FLOOR_SHARE * self.seconds)}s", "--results",
                            str((RESULTS + self.lanes - 1) // self.lanes))
        if done.returncode != 0:
            print(f"lane {lane}: {done.returncode}: {done.stderr}", flush=True)

    def pool_floors(self):
        logs = [os.path.join(folder, name) for folder, _, names in os.walk(self.out) for name in names
                if name.endswith(".jsonl")]
        flags = [word for log in sorted(logs) for word in ("--log", log)]
        done = self.compare(0, "--calibrate", os.path.join(self.out, "floors.json"), *flags,
                            "--confirm-pairs", "24")
        print(f"floors of {len(logs)} logs: {done.returncode} {done.stderr}", flush=True)

    def work(self, lane):
        while self.left() > 0:
            with self.lock:
                number = next(self.numbers)
                name, head = PLAN[number % len(PLAN)]
            report = os.path.join(self.out, name, f"{number}.json")
            start = time.monotonic()
            done = self.compare(lane, *self.both(head), *SCREEN, "--floors",
                                os.path.join(self.out, "floors.json"), "--seed", str(number + 1),
                                "--out-json", report)
            with self.lock, open(os.path.join(self.out, "runs.txt"), "a", encoding="utf-8") as file:
                file.write(f"{name} {number} {done.returncode} {int(1000 * (time.monotonic() - start))} "
                           f"{os.getloadavg()[0]:.2f}\n")
            if not os.path.exists(report):
                print(f"run {number}: {done.returncode}: {done.stderr}", flush=True)

    def on_every_lane(self, task):
        threads = [threading.Thread(target=task, args=(lane,)) for lane in range(self.lanes)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def run(self):
        for name in ("aa", "plus5", "plus10"):
            os.makedirs(os.path.join(self.out, name), exist_ok=True)
        busy = [subprocess.Popen(["taskset", "-c", cores, "nice", "-n", "10", "sh", "-c",
                                  OTHER_WORK.format(assay=os.path.join(self.room, "assay"))],
                                 start_new_session=True) for cores in self.cores]
        try:
            self.on_every_lane(self.calibrate)
            self.pool_floors()
            self.on_every_lane(self.work)
        finally:
            for each in busy:
                os.killpg(each.pid, 9)
        conditions = {"lanes": self.cores, "seconds": self.seconds, "method": METHOD + SCREEN,
                      "other work": f"in each lane, at nice 10: {OTHER_WORK}"}
        with open(os.path.join(self.out, "lanes.json"), "w", encoding="utf-8") as file:
            json.dump(conditions, file, indent=1)


if __name__ == "__main__":
    Campaign(sys.argv[1], sys.argv[2], float(sys.argv[3]), int(sys.argv[4])).run()
