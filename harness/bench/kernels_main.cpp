// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The runtime's operators as benchmarks.
#include "harness/bench/bench_main.h"
#include "runtime/device/host_cores.h"
#include "scenarios/kernels/kernels.h"

int main(int argc, char** argv) {
  return assay::bench::run_bench(argc, argv,
                                 assay::scenarios::kernel_rows(assay::device::usable_cores()));
}
