// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The hundred rows as a benchmark program; with --once=ROW the best of eight short runs as one
// number, by a process of some 10 ms: what the pool is made of.
#include <algorithm>
#include <cstdio>
#include <string_view>

#include "harness/bench/bench_main.h"
#include "harness/bench/worker.h"
#include "runtime/telemetry/clock.h"
#include "tests/campaigns/pool_rows.h"

#ifndef ASSAY_PLANTED_PERCENT
#define ASSAY_PLANTED_PERCENT 0
#endif

namespace {

constexpr int runs = 8;
constexpr std::int64_t run_ns = 600'000;

int once(const assay::scenarios::kernel_list& list, std::string_view name) {
  const auto* row = assay::bench::find_row(list, name);
  if (row == nullptr) return 2;
  const auto run = row->make();
  if (!run) return 1;
  const auto timed = [&](std::uint64_t calls) {
    const assay::host_time start = assay::host_now();
    (*run)->call(calls);
    return static_cast<double>(std::max<std::int64_t>(assay::host_now() - start, 1)) /
           static_cast<double>(calls);
  };
  double best = timed(1);
  const std::uint64_t calls = assay::bench::calls_for(run_ns, std::min(best, timed(4)));
  best = timed(calls);
  for (int i = 1; i < runs; ++i) best = std::min(best, timed(calls));
  std::printf("%.6f ns\n", best);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  constexpr std::string_view once_flag = "--once=";
  auto list = assay::campaigns::pool_rows(ASSAY_PLANTED_PERCENT);
  for (int i = 1; i < argc; ++i)
    if (std::string_view(argv[i]).starts_with(once_flag))
      return once(list, std::string_view(argv[i]).substr(once_flag.size()));
  return assay::bench::run_bench(argc, argv, std::move(list));
}
