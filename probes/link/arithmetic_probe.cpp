// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/link/arithmetic_probe.h"

#include <algorithm>
#include <barrier>
#include <string>
#include <thread>
#include <vector>

#include "runtime/telemetry/clock.h"

namespace assay::probes {
namespace {

// Between two looks at the clock: some microseconds.
constexpr std::uint32_t rounds_a_look = 4096;
// Beyond 2^24 an f32 does not take another 1.
constexpr std::uint32_t most_rounds = std::uint32_t{1} << 23;
constexpr std::size_t most_lanes = multiply_add_chains * 64 / sizeof(float);

struct worker {
  alignas(64) float lanes[most_lanes] = {};
  std::uint32_t rounds = 0;
  host_time start;
  host_time end;
};

void work(worker& mine, const multiply_add_variant& by, std::int64_t least_ns) {
  mine.start = mine.end = host_now();
  while (mine.end - mine.start < least_ns && mine.rounds < most_rounds) {
    by.run(mine.lanes, 1.0F, 1.0F, rounds_a_look);
    mine.rounds += rounds_a_look;
    mine.end = host_now();
  }
}

bool holds_its_rounds(const worker& each, std::size_t lanes) {
  return std::all_of(each.lanes, each.lanes + lanes,
                     [&](float lane) { return lane == static_cast<float>(each.rounds); });
}

const multiply_add_variant& widest_up_to(std::size_t vector_bytes) {
  const multiply_add_variant* chosen = &multiply_add_variants().front();
  for (const multiply_add_variant& each : multiply_add_variants())
    if (each.vector_bytes <= vector_bytes) chosen = &each;
  return *chosen;
}

}  // namespace

arithmetic_probe::arithmetic_probe(const arithmetic_options& options)
    : arithmetic_probe(widest_up_to(options.vector_bytes), options.threads) {}

arithmetic_probe::arithmetic_probe(const multiply_add_variant& by, std::uint32_t threads)
    : by_(by), threads_(std::max(threads, 1U)) {}

result<void> arithmetic_probe::sample() {
  std::vector<worker> workers(threads_);
  std::barrier everybody(static_cast<std::ptrdiff_t>(threads_));
  const auto run = [&](worker& mine) {
    everybody.arrive_and_wait();
    work(mine, by_, least_sample_ns);
  };
  std::vector<std::thread> others;
  for (std::uint32_t i = 1; i < threads_; ++i)
    others.emplace_back([&run, &mine = workers[i]] { run(mine); });
  run(workers[0]);
  for (std::thread& each : others) each.join();
  host_time start = workers[0].start;
  host_time end = workers[0].end;
  double operations = 0.0;
  for (const worker& each : workers) {
    if (!holds_its_rounds(each, by_.lanes()))
      return ASSAY_FAIL(internal, "arithmetic probe: " + std::string(by_.name) +
                                      " multiply-adds did not all happen; their rate is no "
                                      "ceiling");
    start = std::min(start, each.start);
    end = std::max(end, each.end);
    operations += 2.0 * static_cast<double>(by_.lanes()) * each.rounds;
  }
  const double operations_per_s = operations * 1e9 / static_cast<double>(end - start);
  best_operations_per_s_ = std::max(best_operations_per_s_, operations_per_s);
  ++samples_count_;
  return {};
}

trace::arithmetic_ceiling arithmetic_probe::ceiling() const {
  using telemetry::arithmetic;
  if (samples_count_ == 0) return {arithmetic::f32_fma, 0.0, 0, "nothing was measured yet"};
  return {arithmetic::f32_fma, best_operations_per_s_, samples_count_,
          "the fastest of f32 multiply-adds between " + std::string(by_.name) + " registers on " +
              std::to_string(threads_) + (threads_ == 1 ? " thread" : " threads at once")};
}

}  // namespace assay::probes
