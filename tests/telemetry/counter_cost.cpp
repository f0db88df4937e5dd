// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What one write of a counter costs. Prints a table; the figures of docs/methodology.md come from
// here. Without it, "counters are cheap" is an opinion.
//   counter_cost [WRITES]
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <latch>
#include <memory>
#include <string_view>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "runtime/telemetry/clock.h"
#include "runtime/telemetry/registry.h"

namespace {

using assay::telemetry::counter_id;
using assay::telemetry::counter_writer;
using assay::telemetry::null_writer;
using assay::telemetry::registry;

constexpr int repetitions = 7;

using work = std::function<void(counter_writer&, int thread, std::int64_t writes)>;

// Hides from the compiler which writer it is, so that the call stays virtual as in the runtime.
counter_writer* hidden(counter_writer* writer) {
  counter_writer* volatile hiding = writer;
  return hiding;
}

std::int64_t run_once(counter_writer& writer, int threads, std::int64_t writes, const work& body) {
  std::latch ready(threads + 1);
  std::latch done(threads);
  std::vector<std::jthread> pool;
  for (int index = 0; index < threads; ++index)
    pool.emplace_back([&, index] {
      ready.arrive_and_wait();
      body(writer, index, writes);
      done.count_down();
    });
  ready.arrive_and_wait();
  const auto start = assay::host_now();
  done.wait();
  return assay::host_now() - start;
}

// ns a write as its thread sees it: lowest and median of the repetitions.
void measure(std::string_view name, counter_writer& writer, int threads, std::int64_t writes,
             const work& body) {
  std::array<double, repetitions> ns{};
  for (double& each : ns)
    each =
        static_cast<double>(run_once(writer, threads, writes, body)) / static_cast<double>(writes);
  std::sort(ns.begin(), ns.end());
  fmt::print("{:<44} {:>9.2f} {:>9.2f}\n", name, ns.front(), ns[repetitions / 2]);
}

void add_to_one(counter_writer& writer, int, std::int64_t writes) {
  for (std::int64_t i = 0; i < writes; ++i) writer.add(counter_id::weights_h2d_bytes, i);
}

// Neighbours in memory: shows whether two counters share a cache line.
void add_to_own(counter_writer& writer, int thread, std::int64_t writes) {
  const auto id = static_cast<counter_id>(static_cast<int>(counter_id::weights_h2d_bytes) + thread);
  for (std::int64_t i = 0; i < writes; ++i) writer.add(id, i);
}

void set_one(counter_writer& writer, int, std::int64_t writes) {
  for (std::int64_t i = 0; i < writes; ++i) writer.set(counter_id::arena_live_bytes, i);
}

void raise_one(counter_writer& writer, int, std::int64_t writes) {
  for (std::int64_t i = 0; i < writes; ++i) writer.raise(counter_id::arena_peak_bytes, i);
}

}  // namespace

int main(int argc, char** argv) {
  const std::int64_t writes = argc > 1 ? std::atoll(argv[1]) : 20'000'000;
  if (writes <= 0) {
    fmt::print(stderr, "usage: counter_cost [WRITES]\n");
    return 2;
  }
  const auto honest = std::make_unique<registry>();
  null_writer nothing;
  counter_writer& counters = *hidden(honest.get());
  fmt::print("ns a write, {} writes a thread, {} repetitions\n", writes, repetitions);
  fmt::print("{:<44} {:>9} {:>9}\n", "", "lowest", "median");
  measure("no counters (null_writer), 1 thread", *hidden(&nothing), 1, writes, add_to_one);
  measure("add, 1 thread", counters, 1, writes, add_to_one);
  measure("set, 1 thread", counters, 1, writes, set_one);
  measure("raise to a new peak, 1 thread", counters, 1, writes, raise_one);
  measure("add, 2 threads, a counter each", counters, 2, writes, add_to_own);
  measure("add, 2 threads, one counter", counters, 2, writes, add_to_one);
  measure("add, 4 threads, one counter", counters, 4, writes, add_to_one);
  return 0;
}
