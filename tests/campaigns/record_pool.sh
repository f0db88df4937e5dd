#!/usr/bin/env bash
# SPDX-FileCopyrightText: The Assay authors
# SPDX-License-Identifier: Apache-2.0
# record_pool.sh RECORDER FOLDER SECONDS WORKERS: a pool for ci/campaign compare-judge, by workers each of
# which holds a core of its own. What is in the folder is added to;
# FOLDER.tar.gz holds it all.
set -euo pipefail
recorder=$1 folder=$2 seconds=$3 workers=$4
mkdir -p "$folder"
{
  echo "date: $(date -u +%FT%TZ)"
  echo "machine: $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(nproc) cores, $(uname -sr)"
  echo "load average before: $(cut -d' ' -f1-3 /proc/loadavg)"
  echo "workers: $workers, $seconds s"
} | tee -a "$folder/conditions.txt"
pids=()
# Cores that this process may use, one a worker; where there are fewer, workers share.
mapfile -t cores < <(python3 -c 'import os; print(*sorted(os.sched_getaffinity(0)), sep="\n")')
for ((worker = 0; worker < workers; worker++)); do
  taskset -c "${cores[worker % ${#cores[@]}]}" \
    "$recorder" record "$folder/worker-$worker.jsonl" "$seconds" "$worker" &
  pids+=($!)
done
code=0
for pid in "${pids[@]}"; do wait "$pid" || code=$?; done
echo "load average after: $(cut -d' ' -f1-3 /proc/loadavg)" | tee -a "$folder/conditions.txt"
wc -lc "$folder"/worker-*.jsonl
tar -C "$folder" -cf - . | gzip -6 >"$folder.tar.gz"
exit "$code"
