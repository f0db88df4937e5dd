// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What the observers of a GPU cost a decode step. One process measures one arm of CUPTI, which has
// one session a process; tests/gpu/observer_cost.py takes them by turns. What can be switched
// within a process takes turns there.
//
//   observer_cost_bench records SHAPE bare|node|graph
//   observer_cost_bench events SHAPE
//   observer_cost_bench counters CHECKPOINT
//
// Writes one line of JSON to stdout. Base units: s.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "probes/cuda_events/bracketed_device.h"
#include "probes/cupti/cupti_probe.h"
#include "runtime/device/cuda/cuda_device.h"
#include "runtime/engine/cuda/gpu_engine.h"
#include "runtime/graph/captured_step.h"
#include "runtime/telemetry/clock.h"
#include "runtime/telemetry/registry.h"
#include "tests/gpu/bench_model.h"
#include "tests/gpu/bench_report.h"
#include "tests/gpu/switched_writer.h"

namespace assay::bench {
namespace {

constexpr std::uint32_t context_tokens = 128;
constexpr std::uint32_t replays_a_sample = 100;
constexpr int samples = 5;

result<model_shape> shape_named(const std::string& name) {
  for (const model_shape& each : published_shapes())
    if (each.name == name) return each;
  return ASSAY_FAIL(usage, name + " is no shape; take qwen3-0.6b, llama-3.2-1b or llama-3-8b");
}

class record_list final : public trace::sink {
 public:
  result<void> contract(std::string_view) override { return {}; }
  result<void> facts(std::string_view) override { return {}; }
  result<void> records(std::span<const assay_record> more) override {
    for (const assay_record& each : more)
      if (each.kind == ASSAY_ACTIVITY && each.op == ASSAY_OP_LAUNCH) kernels.push_back(each);
    return {};
  }
  result<void> snapshot(std::int64_t, std::span<const assay_reading>) override { return {}; }
  result<void> end() override { return {}; }

  /// Kernels that began before the one ahead of them had ended, of all that have one.
  json overlap() {
    std::sort(kernels.begin(), kernels.end(),
              [](const auto& a, const auto& b) { return a.end_ns < b.end_ns; });
    std::uint64_t overlapping = 0;
    for (std::size_t i = 1; i < kernels.size(); ++i)
      if (kernels[i].start_ns < kernels[i - 1].end_ns) ++overlapping;
    return {{"kernels", kernels.size()}, {"overlapping", overlapping}};
  }

  std::vector<assay_record> kernels;
};

/// Replays of one step: with kernels that may begin early, or strictly one after another.
class replay_arm {
 public:
  replay_arm(const timer& clock, const bench_model& model, bool may_overlap)
      : clock_(clock),
        model_(model),
        step_(model.step(site_of(clock, may_overlap))),
        replayed_(clock.stream, [this] { return step_.submit(); }) {}

  result<double> sample_s() {
    ASSAY_TRY(model_.seek(clock_.stream, context_tokens - replays_a_sample / 2));
    ASSAY_TRY(clock_.start());
    for (std::uint32_t r = 0; r < replays_a_sample; ++r) ASSAY_TRY(replayed_.run());
    ASSAY_TRY_ASSIGN(const double seconds, clock_.stop_s());
    return seconds / replays_a_sample;
  }
  result<void> run() { return replayed_.run(); }
  std::uint32_t kernels() const { return step_.launches(); }

 private:
  static ops::cuda::launch_site site_of(const timer& clock, bool may_overlap) {
    ops::cuda::launch_site site;
    site.stream = clock.stream;
    site.is_first = !may_overlap;
    return site;
  }

  const timer& clock_;
  const bench_model& model_;
  graph::decode_step step_;
  graph::captured_step replayed_;
};

result<json> measure_records(const std::string& shape_name, const std::string& level) {
  ASSAY_TRY(device::find_cuda_device(0));
  std::unique_ptr<probes::cupti_probe> probe;
  if (level != "bare") {
    probes::cupti_options options;
    options.is_graph_level = level == "graph";
    ASSAY_TRY_ASSIGN(probe, probes::cupti_probe::open(options));
  }
  timer clock;
  ASSAY_TRY(clock.open());
  ASSAY_TRY_ASSIGN(const model_shape shape, shape_named(shape_name));
  ASSAY_TRY_ASSIGN(const bench_model model, bench_model::create(clock.stream, shape));
  replay_arm overlapping(clock, model, true);
  replay_arm in_order(clock, model, false);
  json overlapping_s = json::array();
  json in_order_s = json::array();
  record_list seen;
  for (int i = 0; i <= samples; ++i) {
    ASSAY_TRY_ASSIGN(const double one_s, overlapping.sample_s());
    record_list last;
    if (probe) ASSAY_TRY(probe->drain(last));
    if (i == samples) seen = std::move(last);
    ASSAY_TRY_ASSIGN(const double other_s, in_order.sample_s());
    if (probe) ASSAY_TRY(probe->drain(last));
    if (i == 0) continue;  // captures
    overlapping_s.push_back(one_s);
    in_order_s.push_back(other_s);
  }
  json out{{"what", "records"},
           {"shape", shape_name},
           {"level", level},
           {"kernels_per_step", overlapping.kernels()},
           {"overlapping_step_s", overlapping_s},
           {"in_order_step_s", in_order_s}};
  if (probe) out["lost"] = probe->lost_count();
  if (level == "node") out["overlap"] = seen.overlap();
  if (level == "graph") out["graph_launches"] = probe->tally().graph_launches;
  return out;
}

/// A step as the engine takes one, with its wait: bare, with three events around the step and the
/// copy behind it, with these read after the wait, and with the harness's own events between.
class event_bench {
 public:
  enum class arm { none, recorded, runtime, harness };

  result<json> run(const std::string& shape_name) {
    ASSAY_TRY_ASSIGN(gpu_, device::cuda_device::create({}));
    brackets_ = std::make_unique<probes::range_brackets>(
        [this](std::uint32_t stream, std::size_t count) {
          return probes::open_cuda_events(gpu_->native({stream}), count);
        },
        std::span<const device::range_label>());
    bracketed_ = std::make_unique<probes::bracketed_device>(*gpu_, *brackets_);
    ASSAY_TRY_ASSIGN(stream_, gpu_->create_stream());
    for (device::event& each : events_) {
      ASSAY_TRY_ASSIGN(each, gpu_->create_event());
    }
    ASSAY_TRY_ASSIGN(from_, gpu_->allocate(64));
    ASSAY_TRY_ASSIGN(auto chosen, device::pinned_buffer::create(64));
    to_ = std::make_unique<device::pinned_buffer>(std::move(chosen));
    ASSAY_TRY_ASSIGN(const model_shape shape, shape_named(shape_name));
    const cudaStream_t native = gpu_->native(stream_);
    ASSAY_TRY_ASSIGN(const bench_model model, bench_model::create(native, shape));
    ops::cuda::launch_site site;
    site.stream = native;
    const graph::decode_step step = model.step(site);
    graph::captured_step replayed(native, [&] { return step.submit(); });
    step_ = &replayed;
    return measure(model, native, shape_name);
  }

 private:
  result<json> measure(const bench_model& model, cudaStream_t native, const std::string& shape) {
    constexpr int blocks = 100;
    constexpr arm order[] = {arm::none,    arm::recorded, arm::runtime,  arm::harness,
                             arm::harness, arm::runtime,  arm::recorded, arm::none};
    json step_s[4] = {json::array(), json::array(), json::array(), json::array()};
    for (int block = 0; block <= blocks; ++block) {
      ASSAY_TRY(model.seek(native, context_tokens));
      double sums_s[4] = {};
      for (const arm which : order) {
        ASSAY_TRY_ASSIGN(const double took_s, one_s(which));
        sums_s[static_cast<int>(which)] += took_s / 2;
      }
      test::no_records nowhere;
      ASSAY_TRY(brackets_->drain(nowhere));
      if (block == 0) continue;
      for (int i = 0; i < 4; ++i) step_s[i].push_back(sums_s[i]);
    }
    return json{{"what", "events"},
                {"shape", shape},
                {"none_step_s", step_s[0]},
                {"recorded_step_s", step_s[1]},
                {"runtime_step_s", step_s[2]},
                {"harness_step_s", step_s[3]},
                {"lost", brackets_->lost_count()}};
  }

  result<double> one_s(arm which) {
    constexpr int steps = 8;
    const std::int64_t begin_ns = host_now().ns;
    for (int i = 0; i < steps; ++i) ASSAY_TRY(one_step(which));
    return static_cast<double>(host_now().ns - begin_ns) * 1e-9 / steps;
  }

  result<void> one_step(arm which) {
    device::device& on = which == arm::harness ? static_cast<device::device&>(*bracketed_) : *gpu_;
    const bool has_events = which != arm::none;
    {
      const device::scoped_range range(on, telemetry::range::compute);
      if (has_events) ASSAY_TRY(on.record_event(stream_, events_[0]));
      ASSAY_TRY(on.submit_kernels(stream_, 1, [this](void*) { return step_->run(); }));
      if (has_events) ASSAY_TRY(on.record_event(stream_, events_[1]));
    }
    {
      const device::scoped_range range(on, telemetry::range::choices);
      ASSAY_TRY(on.copy_async(stream_, to_->data(), from_.address, 4, device::copy_direction::d2h));
      if (has_events) ASSAY_TRY(on.record_event(stream_, events_[2]));
    }
    ASSAY_TRY(on.synchronize(stream_));
    if (!has_events || which == arm::recorded) return {};
    ASSAY_TRY(on.elapsed_ns(events_[0], events_[1]));
    ASSAY_TRY(on.elapsed_ns(events_[1], events_[2]));
    return {};
  }

  std::unique_ptr<device::cuda_device> gpu_;
  std::unique_ptr<probes::range_brackets> brackets_;
  std::unique_ptr<probes::bracketed_device> bracketed_;
  device::stream stream_;
  device::event events_[3];
  device::buffer from_;
  std::unique_ptr<device::pinned_buffer> to_;
  graph::captured_step* step_ = nullptr;
};

/// Steps of the engine, on-off-off-on or off-on-on-off: its counters go to a registry, or nowhere.
result<json> measure_counters(const std::string& checkpoint) {
  constexpr int blocks = 120;
  ASSAY_TRY_ASSIGN(const auto gpu,
                   device::cuda_device::create({.memory_limit_bytes = std::uint64_t{8} << 30}));
  telemetry::registry registry;
  test::switched_writer writer(registry);
  ASSAY_TRY_ASSIGN(const auto engine, engine::gpu_engine::load(checkpoint, *gpu, *gpu, writer, {}));
  const std::vector<std::int32_t> prompt{40, 71, 105, 302, 12, 7, 9, 11};
  json on_s = json::array();
  json off_s = json::array();
  for (int request = 0; request < 4; ++request) {
    ASSAY_TRY(engine->begin_request(prompt, {100'000, 0.0, 0, false}));
    ASSAY_TRY(engine->prefill());
    for (int block = 0; block < blocks / 4; ++block) {
      double sums_s[2] = {};
      for (int i = 0; i < 4; ++i) {
        writer.is_on = (i == 0 || i == 3) == (block % 2 == 0);
        const std::int64_t begin_ns = host_now().ns;
        ASSAY_TRY(engine->decode_step());
        sums_s[writer.is_on ? 1 : 0] += static_cast<double>(host_now().ns - begin_ns) * 1e-9 / 2;
      }
      if (request == 0) continue;
      off_s.push_back(sums_s[0]);
      on_s.push_back(sums_s[1]);
    }
    ASSAY_TRY(engine->end_request());
  }
  return json{{"what", "counters"},
              {"checkpoint", checkpoint},
              {"off_step_s", off_s},
              {"on_step_s", on_s},
              {"writes", writer.writes}};
}

result<json> run(const std::vector<std::string>& words) {
  if (words.size() == 3 && words[0] == "records" &&
      (words[2] == "bare" || words[2] == "node" || words[2] == "graph"))
    return measure_records(words[1], words[2]);
  if (words.size() == 2 && words[0] == "events") return event_bench().run(words[1]);
  if (words.size() == 2 && words[0] == "counters") return measure_counters(words[1]);
  return ASSAY_FAIL(usage, "records SHAPE bare|node|graph, events SHAPE or counters CHECKPOINT");
}

}  // namespace
}  // namespace assay::bench

int main(int argc, char** argv) {
  const auto ran = assay::bench::run({argv + 1, argv + argc});
  if (ran) {
    std::printf("%s\n", ran->dump().c_str());
    return 0;
  }
  std::fprintf(stderr, "observer_cost_bench: %s\n", ran.error().message.c_str());
  return ran.error().kind == assay::error_kind::usage ? 2 : 3;
}
