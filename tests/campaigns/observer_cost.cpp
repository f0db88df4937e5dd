// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What the instruments cost a decode step: steps with and without them alternate within one process
// and one request, so that drift of the machine and growth of the context meet both alike.
//
// A block is four steps, on-off-off-on or off-on-on-off by turns; its number is the ratio of the
// two sums. The figure is the median over blocks with the upper end of its 95 % interval, by order
// statistics: no distribution is assumed.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include <fmt/core.h>

#include "harness/cli/recorder.h"
#include "probes/host_device/host_device_probe.h"
#include "probes/trace/contract_json.h"
#include "probes/trace/trace_writer.h"
#include "runtime/device/host_device.h"
#include "runtime/engine/engine.h"
#include "runtime/telemetry/registry.h"
#include "scenarios/embedded.h"
#include "tests/gpu/switched_writer.h"

namespace {

using namespace assay;
using test::switched_writer;

template <class T>
T must(result<T> outcome) {
  if (outcome) return std::move(*outcome);
  fmt::print(stderr, "observer_cost: {}\n", outcome.error().message);
  std::exit(3);
}
void must(const result<void>& outcome) {
  if (outcome) return;
  fmt::print(stderr, "observer_cost: {}\n", outcome.error().message);
  std::exit(3);
}

struct median_bound {
  double median;
  double low;
  double high;
};

// Order statistics: the interval [x(k), x(n+1-k)] holds the median with at least 95 %.
median_bound bound_of(std::vector<double> ratios) {
  std::sort(ratios.begin(), ratios.end());
  const auto n = static_cast<double>(ratios.size());
  const auto k = static_cast<std::size_t>(std::max(0.0, std::floor(n / 2 - 0.98 * std::sqrt(n))));
  return {ratios[ratios.size() / 2], ratios[k], ratios[ratios.size() - 1 - k]};
}

enum class arm { counters, tracing };

class bench {
 public:
  bench() {
    device_ = must(device::host_device::create({std::uint64_t{1} << 28, 20'000}));
    out_ = std::make_unique<trace::trace_writer>(must(trace::trace_writer::open("/dev/null")));
    lane_ = {&honest_, out_.get()};
    recorder_ = std::make_unique<cli::recorder>(
        [this](trace::sink& to) { return probe_.drain(to); }, std::span(&lane_, 1));
    must(recorder_->contract(trace::to_json(trace::catalog_rows())));
    engine_ = must(engine::engine::load(scenarios::embedded_checkpoint(), *device_, writer_, {}));
  }

  std::vector<double> ratios(arm which, int wanted_blocks) {
    std::vector<double> ratios;
    while (static_cast<int>(ratios.size()) < wanted_blocks) {
      const std::vector<std::int32_t> prompt{40, 71, 105, 302, 12, 7, 9, 11};
      must(engine_->begin_request(prompt, {100'000, 0.0, 0, false}));
      must(engine_->prefill());
      for (int block = 0; block < blocks_a_request; ++block)
        ratios.push_back(ratio_of_block(which, block % 2 == 0));
      must(engine_->end_request());
    }
    return ratios;
  }

  double writes_a_step() const {
    return static_cast<double>(writer_.writes) / static_cast<double>(on_steps_);
  }
  double recorder_us() const {
    return static_cast<double>(recorder_ns_) / 1e3 / static_cast<double>(traced_steps_);
  }
  double step_us() const { return off_ns_ / 1e3 / static_cast<double>(off_steps_); }

 private:
  static constexpr int blocks_a_request = 60;

  double ratio_of_block(arm which, bool is_on_first) {
    std::int64_t on_ns = 0;
    std::int64_t off_ns = 0;
    for (int i = 0; i < 4; ++i) {
      const bool is_on = (i == 0 || i == 3) == is_on_first;
      (is_on ? on_ns : off_ns) += step_ns(which, is_on);
    }
    off_ns_ += static_cast<double>(off_ns);
    off_steps_ += 2;
    return static_cast<double>(on_ns) / static_cast<double>(off_ns);
  }

  std::int64_t step_ns(arm which, bool is_on) {
    writer_.is_on = which == arm::tracing || is_on;
    const bool is_traced = which == arm::tracing && is_on;
    device_->set_observer(is_traced ? &probe_ : nullptr);
    const std::int64_t start_ns = host_now().ns;
    if (is_traced) must(recorder_->begin_window(ASSAY_WINDOW_DECODE_STEP, 0));
    const std::int64_t begun_ns = host_now().ns;
    must(engine_->decode_step());
    const std::int64_t done_ns = host_now().ns;
    if (is_traced) must(recorder_->end_window());
    on_steps_ += writer_.is_on ? 1 : 0;
    const std::int64_t end_ns = host_now().ns;
    if (is_traced) {
      recorder_ns_ += begun_ns - start_ns + end_ns - done_ns;
      ++traced_steps_;
    }
    return end_ns - start_ns;
  }

  std::unique_ptr<device::host_device> device_;
  probes::host_device_probe probe_;
  std::unique_ptr<trace::trace_writer> out_;
  selftest::instrument honest_;
  cli::track lane_;
  std::unique_ptr<cli::recorder> recorder_;
  switched_writer writer_{honest_};
  std::unique_ptr<engine::engine> engine_;
  std::int64_t on_steps_ = 0;
  std::int64_t off_steps_ = 0;
  std::int64_t recorder_ns_ = 0;
  std::int64_t traced_steps_ = 0;
  double off_ns_ = 0;
};

void print(const char* name, const std::vector<double>& ratios, double target) {
  const median_bound b = bound_of(ratios);
  fmt::print(
      "{:<9} median ratio {:.5f}, 95 % interval [{:.5f}, {:.5f}], {} blocks of 4 steps; "
      "target: upper bound <= {:.2f}: {}\n",
      name, b.median, b.low, b.high, ratios.size(), target, b.high <= target ? "met" : "NOT met");
}

double ns_a_write() {
  telemetry::registry registry;
  constexpr int writes = 10'000'000;
  telemetry::counter_writer& writer = registry;
  const std::int64_t start_ns = host_now().ns;
  for (int i = 0; i < writes; ++i) writer.add(telemetry::counter_id::kv_append_bytes, 1);
  return static_cast<double>(host_now().ns - start_ns) / writes;
}

}  // namespace

int main(int argc, char** argv) {
  const int blocks = argc > 1 ? std::atoi(argv[1]) : 1200;
  bench on_stage;
  static_cast<void>(on_stage.ratios(arm::counters, 60));  // warm-up
  const auto counters = on_stage.ratios(arm::counters, blocks);
  const double writes = on_stage.writes_a_step();
  const auto tracing = on_stage.ratios(arm::tracing, blocks);
  fmt::print("decode step without: {:.1f} us mean; counters written {:.1f} times a step\n",
             on_stage.step_us(), writes);
  const double write_ns = ns_a_write();
  fmt::print("{:.1f} writes x {:.2f} ns = {:.3f} us = {:.4f} % of a step\n", writes, write_ns,
             writes * write_ns / 1e3, writes * write_ns / 10.0 / on_stage.step_us());
  print("counters", counters, 1.01);
  print("tracing", tracing, 1.03);
  fmt::print("of which between steps, in the recorder: {:.1f} us a step\n", on_stage.recorder_us());
  return 0;
}
