// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Prints what the host device costs: a submission, a round trip, a synchronisation, with and
// without an observer, and beside a busy third thread. Not a test: it judges nothing.
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "runtime/device/host_device.h"
#include "runtime/telemetry/check.h"
#include "runtime/telemetry/clock.h"

namespace assay::device {
namespace {

/// Keeps what a probe would keep, at a probe's price: one store into memory that is there.
class ring_observer final : public observer {
 public:
  void on_submission(const submission_record& record) noexcept override {
    submissions_[submission_count_++ % ring_records] = record;
  }
  void on_activity(const activity_record& record) noexcept override {
    activities_[activity_count_++ % ring_records] = record;
  }
  void on_memory(const memory_record&) noexcept override {}

 private:
  static constexpr std::size_t ring_records = 1024;
  // Apart, so that the two threads share no line: sharing one costs 300 ns a record.
  alignas(128) std::vector<submission_record> submissions_{ring_records};
  std::size_t submission_count_ = 0;
  alignas(128) std::vector<activity_record> activities_{ring_records};
  std::size_t activity_count_ = 0;
};

void must(const result<void>& answer) {
  ASSAY_CHECK(answer.has_value(), "the device refused what this program asks");
}

struct nothing {};
void do_nothing(const nothing&, block_context&) {}

constexpr int batch = 500;  // fits the queue: no submission waits for room
constexpr int rounds = 400;

struct quantiles {
  double median;
  double high;  // 99th percentile
};

quantiles of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return {values[values.size() / 2], values[values.size() * 99 / 100]};
}

template <class Step>
quantiles per_call_ns(host_device& device, stream on, int calls, bool sync_inside, Step step) {
  std::vector<double> costs;
  for (int round = 0; round < rounds; ++round) {
    const host_time start = host_now();
    for (int i = 0; i < calls; ++i) step();
    if (sync_inside) must(device.synchronize(on));
    costs.push_back(static_cast<double>(host_now() - start) / calls);
    must(device.synchronize(on));
  }
  return of(std::move(costs));
}

void print(const char* what, quantiles ns) {
  std::printf("  %-46s %10.1f ns   p99 %12.1f ns\n", what, ns.median, ns.high);
}

void measure(const char* title, std::int64_t spin_ns, observer* who) {
  auto device = host_device::create({1 << 20, spin_ns}).value();
  device->set_observer(who);
  const stream on = device->create_stream().value();
  const kernel empty = kernel::bind<nothing, do_nothing>("empty", {}, 1);
  std::vector<std::byte> host(64);
  const buffer target = device->allocate(64).value();
  const auto launch = [&] { must(device->launch(on, empty)); };
  const auto copy = [&] {
    must(device->copy_async(on, target.address, host.data(), 64, copy_direction::h2d));
  };
  const auto sync = [&] { must(device->synchronize(on)); };
  std::printf("%s, spin %lld ns\n", title, static_cast<long long>(spin_ns));
  print("submit a launch", per_call_ns(*device, on, batch, false, launch));
  print("submit a copy of 64 bytes", per_call_ns(*device, on, batch, false, copy));
  print("launch, from submission to done, pipelined",
        per_call_ns(*device, on, batch, true, launch));
  print("copy, from submission to done, pipelined", per_call_ns(*device, on, batch, true, copy));
  print("synchronize an idle stream", per_call_ns(*device, on, batch, false, sync));
  print("launch and synchronize", per_call_ns(*device, on, batch, false, [&] {
          launch();
          sync();
        }));
}

}  // namespace
}  // namespace assay::device

int main(int count, char** arguments) {
  using namespace assay::device;
  const std::int64_t spin_ns = count > 1 ? std::atoll(arguments[1]) : 20'000;
  ring_observer observer;
  measure("no observer", spin_ns, nullptr);
  measure("observer that stores each record", spin_ns, &observer);
  std::atomic<bool> is_over{false};
  std::thread busy([&] {
    while (!is_over.load(std::memory_order_relaxed)) {
    }
  });
  measure("no observer, a third thread busy", spin_ns, nullptr);
  is_over.store(true);
  busy.join();
  return 0;
}
