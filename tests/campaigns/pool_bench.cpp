// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The hundred rows as a benchmark program.
#include "harness/bench/bench_main.h"
#include "tests/campaigns/pool_rows.h"

#ifndef ASSAY_PLANTED_PERCENT
#define ASSAY_PLANTED_PERCENT 0
#endif

int main(int argc, char** argv) {
  return assay::bench::run_bench(argc, argv, assay::campaigns::pool_rows(ASSAY_PLANTED_PERCENT));
}
