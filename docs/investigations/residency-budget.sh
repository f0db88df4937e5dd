#!/usr/bin/env bash
# SPDX-FileCopyrightText: The Assay authors
# SPDX-License-Identifier: Apache-2.0
# residency-budget.sh [ASSAY [FOLDER [PAIRS]]]: decodes under the least limit that streaming admits
# and under one of 16 KiB more, in pairs of alternating order; prints the figures as Markdown and
# leaves traces and pages in FOLDER. Without ASSAY it is built.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
if [[ $# -eq 0 ]]; then "$here/../../ci/build" default assay; fi
assay=$(realpath "${1:-$here/../../build/default/assay}")
folder=${2:-$here/../../out/investigations/residency-budget}
pairs=${3:-8}
mkdir -p "$folder"
cd "$folder"

# KV pages of the whole context, activations, and what streaming needs: no weight stays.
least=33838144
larger=$((least + 16 * 1024))
# Codes of a report or an audit that did its work: 1 and 4 are for who reads it.
did() {
  local code=0
  "$assay" "$@" >/dev/null 2>log || code=$?
  [[ $code -eq 0 || $code -eq 1 || $code -eq 4 ]] || { cat log >&2; exit "$code"; }
}
json=()
for pair in $(seq "$pairs"); do
  order=("$least" "$larger")
  [[ $((pair % 2)) -eq 1 ]] || order=("$larger" "$least")
  for limit in "${order[@]}"; do
    did audit --vram-limit "${limit}B" --out-trace "$limit-$pair.assay"
  done
  did report "$least-$pair.assay" "$larger-$pair.assay" --html "difference-$pair.html" \
    --json "difference-$pair.json"
  json+=("difference-$pair.json")
done
python3 -B "$here/figures.py" residency-budget "$least" "$larger" "${json[@]}"
