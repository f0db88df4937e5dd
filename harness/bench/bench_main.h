// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// main() of a benchmark program: Google Benchmark's flags and output, and a worker beside them.
#pragma once

#include "scenarios/kernels/kernel_row.h"

namespace assay::bench {

/// Runs the rows as the arguments say: --assay_worker=NAME serves slices of one row, all else is
/// Google Benchmark's. What was skipped, how many threads took part, and what went on beside stands
/// in the output's context and counters, or on stderr.
/// Returns the exit code: 0; 1 where a row was faster than the machine can be or out of order with
/// its work; 2 for an argument that is none.
int run_bench(int argc, char** argv, scenarios::kernel_list list);

}  // namespace assay::bench
