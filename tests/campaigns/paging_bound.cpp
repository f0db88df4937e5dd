// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Steps of the host device under limits, against a probe that copies and reads at once: on one
// memory bus a missed byte is read, written and read again.
//   paging_bound CHECKPOINT OUT.json THREADS BLOCKS
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "probes/link/stream_set.h"
#include "runtime/checkpoint/checkpoint.h"
#include "runtime/device/host_device.h"
#include "runtime/engine/engine.h"
#include "runtime/engine/memory_plan.h"
#include "runtime/telemetry/registry.h"

namespace assay::campaigns {
namespace {

using json = nlohmann::ordered_json;
using telemetry::counter_id;

constexpr std::uint32_t context_tokens = 256;
constexpr std::uint32_t prompt_tokens = 16;
constexpr int steps_a_block = 3;
constexpr std::uint64_t arena_bytes = std::uint64_t{8} << 30;

template <class T>
T must(result<T> outcome) {
  if (!outcome) {
    fmt::print(stderr, "paging_bound: {}\n", outcome.error().message);
    std::exit(3);
  }
  if constexpr (!std::is_void_v<T>) return std::move(*outcome);
}

double median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

double seconds_since(host_time begin) {
  return static_cast<double>(host_now() - begin) / 1e9;
}

engine::engine_options limited(std::uint64_t limit_bytes) {
  engine::engine_options options{context_tokens, 16};
  options.memory_limit_bytes = limit_bytes;
  return options;
}

class subject {
 public:
  subject(const std::string& checkpoint, std::uint64_t limit_bytes, std::uint32_t threads) {
    device_ = must(device::host_device::create({arena_bytes, 20'000, threads}));
    engine_ = must(engine::engine::load(checkpoint, *device_, counters_, limited(limit_bytes)));
    std::vector<std::int32_t> prompt(prompt_tokens);
    for (std::uint32_t i = 0; i < prompt_tokens; ++i) prompt[i] = static_cast<std::int32_t>(i + 7);
    must(engine_->begin_request(prompt, {100'000, 0.0, 0, false}));
    must(engine_->prefill());
  }

  double step_s() {
    const std::int64_t read = of(counter_id::compute_weight_bytes);
    const std::int64_t copied = of(counter_id::paging_h2d_bytes);
    const host_time begin = host_now();
    must(engine_->decode_step());
    const double took_s = seconds_since(begin);
    read_bytes_ = static_cast<std::uint64_t>(of(counter_id::compute_weight_bytes) - read);
    copied_bytes_ = static_cast<std::uint64_t>(of(counter_id::paging_h2d_bytes) - copied);
    return took_s;
  }
  /// Of the last step.
  std::uint64_t read_bytes() const { return read_bytes_; }
  std::uint64_t copied_bytes() const { return copied_bytes_; }
  std::int64_t of(counter_id counter) const { return counters_.read(counter).integer(); }

 private:
  telemetry::registry counters_;
  std::unique_ptr<device::host_device> device_;
  std::unique_ptr<engine::engine> engine_;
  std::uint64_t read_bytes_ = 0;
  std::uint64_t copied_bytes_ = 0;
};

/// What a step moves, without the step: one thread copies into an area of the run's size while
/// others read. The fastest of the ways to read is taken, by passes without a copy.
class probe {
 public:
  probe(std::uint64_t read_bytes, std::uint64_t copied_bytes, std::uint64_t area_bytes,
        std::uint32_t threads)
      : set_(must(probes::stream_set::create(read_bytes, probes::page_kind::huge))),
        threads_(threads),
        source_(copied_bytes, std::byte{1}),
        area_(std::max<std::uint64_t>(area_bytes, 1)) {
    double best_s = 1e9;
    for (const probes::read_variant& each : probes::read_variants()) {
      const auto seen = must(set_.pass(each, threads_));
      const double took_s = static_cast<double>(seen.end - seen.start) / 1e9;
      if (took_s < best_s) by_ = &each;
      best_s = std::min(best_s, took_s);
    }
  }

  double pass_s() {
    const host_time begin = host_now();
    std::thread copier([this] {
      std::size_t at = 0;
      for (std::size_t done = 0; done < source_.size();) {
        const std::size_t piece =
            std::min({source_.size() - done, area_.size() - at, std::size_t{4} << 20});
        std::memcpy(area_.data() + at, source_.data() + done, piece);
        done += piece;
        at = (at + piece) % area_.size();
      }
    });
    static_cast<void>(must(set_.pass(*by_, threads_)));
    copier.join();
    return seconds_since(begin);
  }

 private:
  probes::stream_set set_;
  std::uint32_t threads_;
  std::vector<std::byte> source_;
  std::vector<std::byte> area_;
  const probes::read_variant* by_ = nullptr;
};

json measure(const std::string& checkpoint, std::uint64_t limit_bytes, std::uint32_t threads,
             int blocks) {
  subject run(checkpoint, limit_bytes, threads);
  static_cast<void>(run.step_s());
  probe bound(run.read_bytes(), run.copied_bytes(),
              static_cast<std::uint64_t>(run.of(counter_id::paging_staging_bytes)), threads);
  std::vector<double> steps_s;
  std::vector<double> bounds_s;
  for (int block = 0; block < blocks; ++block)
    for (int i = 0; i < steps_a_block; ++i) {
      bounds_s.push_back(bound.pass_s());
      steps_s.push_back(run.step_s());
    }
  const double step_s = median_of(steps_s);
  const double bound_s = median_of(bounds_s);
  fmt::print("| {:.0f} MB | {:.0f} MB | {:.0f} MB | {:.1f} ms | {:.1f} ms | {:.3f} |\n",
             static_cast<double>(limit_bytes) / 1e6, static_cast<double>(run.read_bytes()) / 1e6,
             static_cast<double>(run.copied_bytes()) / 1e6, bound_s * 1e3, step_s * 1e3,
             bound_s / step_s);
  std::fflush(stdout);
  return {{"limit_bytes", limit_bytes},
          {"read_bytes", run.read_bytes()},
          {"copied_bytes", run.copied_bytes()},
          {"bounds_s", bounds_s},
          {"steps_s", steps_s}};
}

int bench(char** arguments) {
  const std::string checkpoint = arguments[1];
  const auto threads = static_cast<std::uint32_t>(std::atoi(arguments[3]));
  const auto opened = must(checkpoint::checkpoint::open(checkpoint));
  const engine::memory_plan plan = must(
      engine::plan_memory(opened.config(), opened.weights(), limited(arena_bytes), arena_bytes));
  const std::uint64_t least = plan.least_limit_bytes;
  const std::uint64_t all = plan.all_resident_bytes;
  fmt::print(
      "| limit | read a step | copied a step | probe, median | step, median | probe / step |\n"
      "|---:|---:|---:|---:|---:|---:|\n");
  json report;
  report["threads"] = threads;
  for (const std::uint64_t limit : {least, least + (all - least) / 2, all})
    report["limits"].push_back(measure(checkpoint, limit, threads, std::atoi(arguments[4])));
  std::ofstream(arguments[2]) << report.dump(1) << '\n';
  return 0;
}

}  // namespace
}  // namespace assay::campaigns

int main(int count, char** arguments) {
  if (count != 5) {
    fmt::print(stderr, "usage: paging_bound CHECKPOINT OUT.json THREADS BLOCKS\n");
    return 2;
  }
  return assay::campaigns::bench(arguments);
}
