#!/usr/bin/env bash
# SPDX-FileCopyrightText: The Assay authors
# SPDX-License-Identifier: Apache-2.0
# compare_fleet.sh ROOM FLOORS_SECONDS RUNS_SECONDS WORKERS: real comparisons of the hundred rows by workers
# each of which holds a core of its own, on a machine that has many. ROOM has assay and
# {base,relk,slt1,slt2,slt3,slt4,padd,shuf,pls5,pl10}/bench, as compare_frozen() of ci/campaign leaves them. First
# each worker learns the floors of its share of the rows from five links of one commit; then each takes turns of
# +5 %, +10 % and two links that the floors have not seen (padd, shuf). A run that the time cuts short is kept
# under its code, and is a miss. Leaves what compare_tally.py reads.
set -euo pipefail
cd "$1"
floors_s=$2 runs_s=$3 workers=$4 slice=${ASSAY_FLEET_SLICE:-1ms}
mkdir -p floors aa plus5 plus10
{
  echo "date: $(date -u +%FT%TZ)"
  echo "machine: $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(nproc) cores, $(uname -sr)"
  echo "load average before: $(cut -d' ' -f1-3 /proc/loadavg)"
  echo "workers: $workers; $floors_s s for floors, $runs_s s in which runs may begin; turns of $slice"
} | tee -a conditions.txt
mapfile -t cores < <(python3 -c 'import os; print(*sorted(os.sched_getaffinity(0)), sep="\n")')
mapfile -t rows < <(base/bench --benchmark_list_tests=true)

relinked=()
for salt in 1 2 3 4; do relinked+=(--relinked-bin "slt$salt/bench"); done

share_of() {
  printf '%s\n' "${rows[@]}" | awk -v n="$workers" -v w="$1" 'NR % n == w' |
    sed 's/[.+]/\\&/g' | paste -sd '|' | sed 's/.*/^(&)$/'
}

learn() {
  local worker=$1
  taskset -c "${cores[worker % ${#cores[@]}]}" ./assay compare --calibrate "floors/$worker.json" \
    --base-bin base/bench --head-bin relk/bench "${relinked[@]}" --scenarios "$(share_of "$worker")" --slice "$slice" \
    --results "${ASSAY_FLEET_RESULTS:-14}" --process-limit 10m --budget "${floors_s}s" >"floors/$worker.txt" 2>&1 || true
}

# Seeds from 1, 1001 and 2001, as in the other real runs; no two workers have the same.
compare() {
  local worker=$1 folder=$2 head=$3 seed=$4 code=0 start_ms left_s
  start_ms=$(date +%s%3N)
  left_s=$((until_s - $(date +%s)))
  taskset -c "${cores[worker % ${#cores[@]}]}" ./assay compare --base-bin base/bench \
    --head-bin "$head/bench" --slice "$slice" --process-limit 10m --floors floors.json --seed "$seed" \
    --budget "$((left_s > 1 ? left_s : 1))s" --out-json "$folder/$seed.partial" \
    --out-samples "$folder/$seed.jsonl" >"$folder/$seed.txt" 2>&1 || code=$?
  [[ -s $folder/$seed.partial ]] || return 0
  mv "$folder/$seed.partial" "$folder/$seed.json"
  # One line, one write: the workers share the file.
  echo "$seed $code $(($(date +%s%3N) - start_ms)) $(cut -d' ' -f1 /proc/loadavg) $head" >>runs.txt
}

work() {
  local worker=$1 turn=0 aa=0 planted=0
  while [[ $(date +%s) -lt $last_start_s ]]; do
    case $(((turn + worker) % 4)) in
    0) compare "$worker" aa padd $((1 + worker + workers * aa++)) ;;
    1) compare "$worker" plus5 pls5 $((1001 + worker + workers * planted++)) ;;
    2) compare "$worker" aa shuf $((1 + worker + workers * aa++)) ;;
    3) compare "$worker" plus10 pl10 $((2001 + worker + workers * planted++)) ;;
    esac
    turn=$((turn + 1))
  done
}

if [[ ! -s floors.json ]]; then
  for ((worker = 0; worker < workers; worker++)); do learn "$worker" & done
  wait
  logs=()
  for log in floors/*.logs/*.jsonl; do [[ -s $log ]] && logs+=(--log "$log"); done
  ./assay compare --calibrate floors.json "${logs[@]}" >floors.txt 2>&1 || true
  tail -n 3 floors.txt
fi
last_start_s=$(($(date +%s) + runs_s))
until_s=$((last_start_s + ${ASSAY_FLEET_GRACE_S:-120}))
for ((worker = 0; worker < workers; worker++)); do work "$worker" & done
wait
echo "load average after: $(cut -d' ' -f1-3 /proc/loadavg)" | tee -a conditions.txt
awk '{print $5, $2}' runs.txt | sort | uniq -c
