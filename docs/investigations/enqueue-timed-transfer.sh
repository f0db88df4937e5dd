#!/usr/bin/env bash
# SPDX-FileCopyrightText: The Assay authors
# SPDX-License-Identifier: Apache-2.0
# enqueue-timed-transfer.sh [ASSAY [FOLDER]]: one run under a limit, read by an honest timer of
# page-ins and by one that stops when they have been enqueued; prints the figures as Markdown and
# leaves traces and pages in FOLDER. Without ASSAY it is built.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
if [[ $# -eq 0 ]]; then "$here/../../ci/build" default assay; fi
assay=$(realpath "${1:-$here/../../build/default/assay}")
folder=${2:-$here/../../out/investigations/enqueue-timed-transfer}
mkdir -p "$folder"
cd "$folder"

"$assay" selftest --lie "page timer" --out-trace lying.assay --out-honest-trace honest.assay
# A report's exit code is that of the audit: 1 for the liar, and for an honest run on a busy machine
# perhaps 4. Neither is a failure here.
report() {
  local code=0
  "$assay" report "$@" >/dev/null || code=$?
  [[ $code -eq 0 || $code -eq 1 || $code -eq 4 ]] || exit "$code"
}
report lying.assay --html lying.html --json lying.json
report honest.assay --html honest.html --json honest.json
report honest.assay lying.assay --html difference.html --json difference.json
python3 -B "$here/figures.py" enqueue-timed-transfer honest.json lying.json difference.json
