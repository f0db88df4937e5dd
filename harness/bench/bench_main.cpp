// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/bench/bench_main.h"

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "harness/bench/plausibility.h"
#include "harness/bench/slice_protocol.h"
#include "harness/bench/worker.h"
#include "harness/compare/host_load.h"

namespace assay::bench {
namespace {

// Google Benchmark calls a function anew for each repetition and while it looks for the number of
// iterations. Operands are made once a row, and the last row's are given up for the next one's.
class kept_run {
 public:
  result<scenarios::kernel_run*> of(const scenarios::kernel_row& row) {
    if (name_ != row.name) {
      run_.reset();
      ASSAY_TRY_ASSIGN(run_, row.make());
      name_ = row.name;
      realised_threads_ = 0;
      run_->call(1);
    }
    return run_.get();
  }

  std::uint32_t realised_threads() {
    if (realised_threads_ == 0) realised_threads_ = run_->realised_threads();
    return realised_threads_;
  }

 private:
  std::string name_;
  std::unique_ptr<scenarios::kernel_run> run_;
  std::uint32_t realised_threads_ = 0;
};

// So many that the loop around them is no part of what is timed, and so few that 10 ms hold some.
std::uint64_t batch_of(const scenarios::declared_work& work) {
  constexpr std::uint64_t enough = 200'000;
  return std::clamp<std::uint64_t>(enough / (work.bytes() + work.operations + 1), 1, 64);
}

void measure(benchmark::State& state, const scenarios::kernel_row& row, kept_run& kept) {
  const auto run = kept.of(row);
  if (!run) {
    state.SkipWithError(run.error().message.c_str());
    return;
  }
  const auto batch = static_cast<benchmark::IterationCount>(batch_of(row.work));
  while (state.KeepRunningBatch(batch)) (*run)->call(static_cast<std::uint64_t>(batch));
  const auto iterations = static_cast<double>(state.iterations());
  state.SetBytesProcessed(
      static_cast<std::int64_t>(iterations * static_cast<double>(row.work.bytes())));
  state.counters["operations_per_second"] = benchmark::Counter(
      iterations * static_cast<double>(row.work.operations), benchmark::Counter::kIsRate);
  state.counters["asked_threads"] = row.asked_threads;
  state.counters["realised_threads"] = kept.realised_threads();
}

// Passes everything on, and keeps the times.
class listening_reporter final : public benchmark::BenchmarkReporter {
 public:
  listening_reporter(benchmark::BenchmarkReporter& to, const scenarios::kernel_list& list)
      : to_(to), list_(list) {}

  bool ReportContext(const Context& context) override { return to_.ReportContext(context); }
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& each : runs) take(each);
    to_.ReportRuns(runs);
  }
  void Finalize() override { to_.Finalize(); }

  const std::vector<timed_kernel>& timed() const { return timed_; }
  bool has_failed() const { return has_failed_; }

 private:
  void take(const Run& run) {
    has_failed_ = has_failed_ || run.error_occurred;
    const scenarios::kernel_row* row = find_row(list_, run.run_name.function_name);
    if (row == nullptr || run.error_occurred || run.iterations == 0 ||
        run.run_type != Run::RT_Iteration)
      return;
    const double ns = run.real_accumulated_time * 1e9 / static_cast<double>(run.iterations);
    const auto known = std::find_if(timed_.begin(), timed_.end(),
                                    [row](const auto& each) { return each.name == row->name; });
    if (known == timed_.end())
      timed_.push_back({row->name, row->family, row->work, row->asked_threads, ns, 1});
    else
      known->ns = std::min(known->ns, ns), ++known->repetitions;
  }

  benchmark::BenchmarkReporter& to_;
  const scenarios::kernel_list& list_;
  std::vector<timed_kernel> timed_;
  bool has_failed_ = false;
};

std::optional<core_ceiling> ceiling_or_word() {
  const auto measured = measured_ceiling();
  if (measured) return *measured;
  std::cerr << "no ceiling: " << measured.error().message << '\n';
  return std::nullopt;
}

// What went on beside this process, on stderr as it ends.
void tell_load(const compare::host_load& before) {
  const compare::host_load after = compare::host_load_now();
  const auto gained = [](const auto& from, const auto& to) {
    return from && to ? fmt::format("{} ns", *to - *from) : std::string("unknown");
  };
  std::cerr << fmt::format(
      "load: stolen {}, throttled {}, load average {}, frequency {}\n",
      gained(before.steal_ns, after.steal_ns), gained(before.throttled_ns, after.throttled_ns),
      after.load_average ? fmt::format("{:.2f}", *after.load_average) : "unknown",
      after.frequency_hz ? fmt::format("{} Hz", *after.frequency_hz) : "unknown");
}

int serve(const scenarios::kernel_list& list, std::string_view name) {
  const scenarios::kernel_row* row = find_row(list, name);
  if (row == nullptr) {
    std::cerr << name << ": is no row; see --benchmark_list_tests\n";
    return 2;
  }
  const auto served = serve_slices(*row, ceiling_or_word(), std::cin, std::cout);
  if (served) return 0;
  std::cerr << served.error().message << '\n';
  return served.error().kind == error_kind::usage ? 2 : 1;
}

int run_all(int argc, char** argv, const scenarios::kernel_list& list) {
  kept_run kept;
  for (const scenarios::kernel_row& row : list.rows)
    benchmark::RegisterBenchmark(row.name.c_str(), [&row, &kept](benchmark::State& state) {
      measure(state, row, kept);
    })->UseRealTime();
  for (const scenarios::skipped_row& each : list.skipped)
    benchmark::AddCustomContext("skipped " + each.name, each.reason);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  const std::unique_ptr<benchmark::BenchmarkReporter> display(
      benchmark::CreateDefaultDisplayReporter());
  listening_reporter listening(*display, list);
  benchmark::RunSpecifiedBenchmarks(&listening);
  int code = listening.has_failed() ? 1 : 0;
  const auto complain = [&code](const std::string& complaint) {
    std::cerr << "implausible: " << complaint << '\n';
    code = 1;
  };
  if (listening.timed().empty()) return code;
  const auto ceiling = ceiling_or_word();
  for (const timed_kernel& each : listening.timed())
    if (const auto complaint = above_ceiling(each, ceiling)) complain(*complaint);
  const plausible_order order = order_of(listening.timed());
  for (const std::string& complaint : order.complaints) complain(complaint);
  if (!order.absence.empty()) std::cerr << "order of times not judged: " << order.absence << '\n';
  return code;
}

}  // namespace

int run_bench(int argc, char** argv, scenarios::kernel_list list) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == protocol_flag) {
      std::cout << protocol_words << '\n';
      return 0;
    }
  }
  const compare::host_load before = compare::host_load_now();
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (!word.starts_with(worker_flag)) continue;
    return serve(list, word.substr(worker_flag.size()));
  }
  const int code = run_all(argc, argv, list);
  if (code == 0) tell_load(before);
  return code;
}

}  // namespace assay::bench
