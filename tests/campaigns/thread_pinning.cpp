// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What it does to a decode step when each thread that runs a launch's blocks is held on a core of
// its own: blocks of steps, pinned and free by turns, at a quiet time and beside a busy thread.
//   thread_pinning CHECKPOINT OUT.json THREADS BLOCKS
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "runtime/device/host_device.h"
#include "runtime/engine/engine.h"
#include "runtime/telemetry/clock.h"
#include "runtime/telemetry/registry.h"

namespace assay::campaigns {
namespace {

using json = nlohmann::ordered_json;

constexpr std::uint32_t prompt_tokens = 32;
constexpr std::uint32_t most_position = 256;
constexpr int steps_a_block = 4;

[[noreturn]] void give_up(const std::string& why) {
  fmt::print(stderr, "thread_pinning: {}\n", why);
  std::exit(3);
}

template <class T>
T must(result<T> outcome) {
  if (!outcome) give_up(outcome.error().message);
  if constexpr (!std::is_void_v<T>) return std::move(*outcome);
}

std::vector<int> cores_of(const cpu_set_t& mask) {
  std::vector<int> cores;
  for (int core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(core, &mask)) cores.push_back(core);
  return cores;
}

cpu_set_t allowed_cores() {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  if (sched_getaffinity(0, sizeof mask, &mask) != 0) give_up("sched_getaffinity refuses");
  return mask;
}

void confine(std::uint32_t tid, const cpu_set_t& mask) {
  const auto thread = static_cast<pid_t>(tid);
  if (sched_setaffinity(thread, sizeof mask, &mask) != 0)
    give_up("sched_setaffinity refuses; run where threads may be pinned");
  cpu_set_t now;
  CPU_ZERO(&now);
  if (sched_getaffinity(thread, sizeof now, &now) != 0 || !CPU_EQUAL(&now, &mask))
    give_up("a thread's cores are not what was asked");
}

// One request after another on a device whose threads are pinned from outside.
class bench {
 public:
  bench(const std::string& checkpoint, std::uint32_t threads) : allowed_(allowed_cores()) {
    device_ = must(device::host_device::create({std::uint64_t{3} << 30, 20'000, threads}));
    engine_ = must(engine::engine::load(checkpoint, *device_, counters_, {1536, 16}));
    if (cores_of(allowed_).size() < threads) give_up("fewer cores than threads: nothing to pin");
  }

  // The streams' workers on the first core, for one of them computes while the other waits; the
  // helpers on the next ones; who submits stays free.
  void pin() {
    const std::vector<std::uint32_t> tids = device_->worker_tids();
    const std::vector<int> cores = cores_of(allowed_);
    const std::size_t streams = tids.size() - (device_->launch_threads() - 1);
    for (std::size_t i = 0; i < tids.size(); ++i) {
      cpu_set_t one;
      CPU_ZERO(&one);
      CPU_SET(cores[i < streams ? 0 : i - streams + 1], &one);
      confine(tids[i], one);
    }
  }
  void free() {
    for (const std::uint32_t tid : device_->worker_tids()) confine(tid, allowed_);
  }

  std::vector<double> steps() {
    if (!is_open_ || position_ + steps_a_block > most_position) begin();
    std::vector<double> taken_ns;
    for (int i = 0; i < steps_a_block; ++i, ++position_) {
      const host_time start = host_now();
      must(engine_->decode_step());
      taken_ns.push_back(static_cast<double>(host_now() - start));
    }
    return taken_ns;
  }

 private:
  void begin() {
    if (is_open_) must(engine_->end_request());
    is_open_ = true;
    std::vector<std::int32_t> prompt(prompt_tokens);
    for (std::uint32_t i = 0; i < prompt_tokens; ++i)
      prompt[i] = static_cast<std::int32_t>(i * 7 % 251 + 1);
    must(engine_->begin_request(prompt, {100'000, 0.0, 0, false}));
    must(engine_->prefill());
    position_ = prompt_tokens;
  }

  const cpu_set_t allowed_;
  telemetry::registry counters_;
  std::unique_ptr<device::host_device> device_;
  std::unique_ptr<engine::engine> engine_;
  bool is_open_ = false;
  std::uint32_t position_ = 0;
};

// Always wants to run, on whichever core it gets.
class busy_loop {
 public:
  busy_loop()
      : thread_([this] {
          while (!is_over_.load(std::memory_order_relaxed)) {
          }
        }) {}
  ~busy_loop() {
    is_over_.store(true);
    thread_.join();
  }

 private:
  std::atomic<bool> is_over_{false};
  std::thread thread_;
};

double sum_of(const std::vector<double>& values) {
  double sum = 0.0;
  for (const double each : values) sum += each;
  return sum;
}

double quantile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1) + 0.5)];
}

// Order statistics: the interval [x(k), x(n-1-k)] holds the median with at least 95 %.
std::pair<double, double> bounds_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto n = static_cast<double>(values.size());
  const auto k = static_cast<std::size_t>(std::max(0.0, std::floor(n / 2 - 0.98 * std::sqrt(n))));
  return {values[k], values[values.size() - 1 - k]};
}

// A block is free-pinned-pinned-free or the other way round; its number is pinned over free.
json compared(const char* when, bench& on, int blocks) {
  std::vector<double> free_ns;
  std::vector<double> pinned_ns;
  std::vector<double> ratios;
  for (int block = 0; block < blocks; ++block) {
    double sums[2] = {0.0, 0.0};
    for (int part = 0; part < 4; ++part) {
      const bool is_pinned = (part == 1 || part == 2) == (block % 2 == 0);
      is_pinned ? on.pin() : on.free();
      const std::vector<double> taken_ns = on.steps();
      auto& all = is_pinned ? pinned_ns : free_ns;
      all.insert(all.end(), taken_ns.begin(), taken_ns.end());
      sums[is_pinned ? 1 : 0] += sum_of(taken_ns);
    }
    ratios.push_back(sums[1] / sums[0]);
  }
  const auto [low, high] = bounds_of(ratios);
  const double median = quantile(ratios, 0.5);
  fmt::print(
      "{:<6} pinned {:.2f} ms a step (p95 {:.2f}), free {:.2f} (p95 {:.2f}); pinned takes "
      "{:.3f} of free, 95 % interval [{:.3f}, {:.3f}], {} blocks of {} steps\n",
      when, quantile(pinned_ns, 0.5) / 1e6, quantile(pinned_ns, 0.95) / 1e6,
      quantile(free_ns, 0.5) / 1e6, quantile(free_ns, 0.95) / 1e6, median, low, high, blocks,
      4 * steps_a_block);
  return {{"pinned_of_free_ratio", median},
          {"low", low},
          {"high", high},
          {"ratios", ratios},
          {"free_ns", free_ns},
          {"pinned_ns", pinned_ns}};
}

}  // namespace
}  // namespace assay::campaigns

int main(int argc, char** argv) {
  using namespace assay::campaigns;
  if (argc != 5) {
    fmt::print(stderr, "usage: {} CHECKPOINT OUT.json THREADS BLOCKS\n", argv[0]);
    return 2;
  }
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  const auto threads = static_cast<std::uint32_t>(std::atoi(argv[3]));
  const int blocks = std::max(1, std::atoi(argv[4]));
  bench on(argv[1], threads);
  static_cast<void>(on.steps());
  json report{{"threads", threads}};
  report["quiet"] = compared("quiet:", on, blocks);
  {
    const busy_loop third;
    report["busy_thread"] = compared("busy:", on, blocks);
  }
  std::ofstream out(argv[2]);
  out << report.dump() << "\n";
  out.close();
  return out ? 0 : 3;
}
