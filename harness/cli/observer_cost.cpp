// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/observer_cost.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "harness/attribution/step_difference.h"
#include "harness/cli/interrupt.h"
#include "harness/cli/recorder.h"
#include "harness/cli/run_clock.h"
#include "probes/host_device/host_device_probe.h"
#include "probes/trace/contract_json.h"
#include "probes/trace/run_facts.h"
#include "probes/trace/trace_writer.h"
#include "runtime/device/host_device.h"
#include "runtime/engine/engine.h"
#include "scenarios/ledger.h"

namespace assay::cli {
namespace {

constexpr std::size_t most_blocks = 96;
constexpr int steps_a_block = 4;
constexpr std::uint32_t steps_a_request = 240;
// An arm that is not asked for takes no longer than this, and no more memory.
constexpr std::int64_t cheap_ns = 90'000'000;
constexpr std::int64_t asked_ns = 3'000'000'000;
constexpr std::int64_t cheap_weight_bytes = std::int64_t{16} << 20;

constexpr double per_ppm = 1e-6;

// All observers of an audited run on the host, in front of a trace that goes nowhere.
class arm {
 public:
  result<void> open(const run_options& options, const std::function<void()>& also) {
    also_ = also;
    ASSAY_TRY_ASSIGN(device_, device::host_device::create(
                                  {options.arena_bytes, options.spin_ns, options.threads}));
    ASSAY_TRY_ASSIGN(auto out, trace::trace_writer::open("/dev/null"));
    out_.emplace(std::move(out));
    lane_ = {&honest_, &*out_};
    recorder_.emplace([this](trace::sink& to) { return probe_.drain(to); }, std::span(&lane_, 1));
    ASSAY_TRY(recorder_->contract(trace::to_json(trace::catalog_rows(options.device))));
    ASSAY_TRY_ASSIGN(auto accounts, run_accounts::open());
    accounts_.emplace(std::move(accounts));
    ASSAY_TRY_ASSIGN(
        engine_, engine::engine::load(
                     options.checkpoint, *device_, honest_,
                     {options.context_tokens, static_cast<std::uint32_t>(options.page_tokens)}));
    return {};
  }

  result<void> begin(std::span<const std::int32_t> prompt) {
    device_->set_observer(nullptr);
    ASSAY_TRY(engine_->begin_request(prompt, {steps_a_request + 2, 0.0, 0, false}));
    ASSAY_TRY_ASSIGN(const auto first, engine_->prefill());
    is_over_ = first.stopped != engine::stop_reason::none;
    return {};
  }
  result<void> end() { return engine_->end_request(); }
  bool is_over() const { return is_over_; }

  /// Nothing where the context is full before the block is.
  result<void> block(bool is_on_first, observer_ratios& into) {
    times on;
    times off;
    for (int i = 0; i < steps_a_block && !is_over_; ++i) {
      const bool is_on = (i == 0 || i == steps_a_block - 1) == is_on_first;
      ASSAY_TRY(is_on ? observed(on, into) : bare(off));
    }
    if (is_over_ || off.pass_ns <= 0) return {};
    into.passes_ppm.push_back(ppm(on.pass_ns, off.pass_ns));
    into.steps_ppm.push_back(ppm(on.step_ns, off.step_ns));
    into.pass_ns += off.pass_ns;
    return {};
  }

 private:
  struct times {
    std::int64_t pass_ns = 0;
    std::int64_t step_ns = 0;
  };

  static std::int64_t ppm(std::int64_t on_ns, std::int64_t off_ns) {
    return std::llround(static_cast<double>(on_ns) / static_cast<double>(off_ns) / per_ppm);
  }

  result<void> step() {
    ASSAY_TRY_ASSIGN(const auto given, engine_->decode_step());
    is_over_ = given.stopped != engine::stop_reason::none;
    return {};
  }

  result<void> bare(times& into) {
    device_->set_observer(nullptr);
    const std::int64_t begin_ns = host_now().ns;
    ASSAY_TRY(step());
    const std::int64_t end_ns = host_now().ns;
    into.pass_ns += end_ns - begin_ns;
    into.step_ns += end_ns - begin_ns;
    return {};
  }

  // As audited_run does it: the caller's account is read around the pass, the device's records are
  // drained behind it.
  result<void> observed(times& into, observer_ratios& counts) {
    device_->set_observer(&probe_);
    const std::uint64_t records_before = recorder_->record_count();
    const std::int64_t begin_ns = host_now().ns;
    ASSAY_TRY(recorder_->begin_window(ASSAY_WINDOW_DECODE_STEP, counts.observed_steps));
    ASSAY_TRY_ASSIGN(const assay_record before, accounts_->read_caller());
    recorder_->mark_begin();
    if (also_) also_();
    ASSAY_TRY(step());
    recorder_->mark_end();
    ASSAY_TRY_ASSIGN(const assay_record after, accounts_->read_caller());
    ASSAY_TRY(recorder_->stop());
    ASSAY_TRY(recorder_->records(std::array{before, after}));
    ASSAY_TRY_ASSIGN(const window_span span, recorder_->end_window());
    into.pass_ns += span.length_ns();
    into.step_ns += host_now().ns - begin_ns;
    counts.records += recorder_->record_count() - records_before;
    ++counts.observed_steps;
    return {};
  }

  // The device's workers tell the probe: it ends after them.
  probes::host_device_probe probe_;
  std::unique_ptr<device::host_device> device_;
  selftest::instrument honest_;
  std::optional<trace::trace_writer> out_;
  track lane_;
  std::optional<recorder> recorder_;
  std::optional<run_accounts> accounts_;
  std::unique_ptr<engine::engine> engine_;
  std::function<void()> also_;
  bool is_over_ = false;
};

bool is_cheap(const run_options& options) {
  const auto model = scenarios::read_model_shape(options.checkpoint);
  return model && scenarios::weight_bytes(*model) <= cheap_weight_bytes;
}

std::string measured_words(const run_options& options, std::span<const std::int32_t> prompt) {
  if (options.device == telemetry::device_class::cuda)
    return "not measured: CUPTI, once it records, does not leave a process that goes on, so that "
           "there is no arm without it";
  if (options.vram_limit || options.is_half_streamed)
    return "not measured: the arm without an observer has no limit; audit without --vram-limit";
  if (options.observer_cost == observer_arm::none)
    return "not measured: this verb has no arm without an observer; assay audit --observer-cost "
           "has";
  const bool is_asked = options.observer_cost == observer_arm::always;
  if (!is_asked && !is_cheap(options))
    return "not measured: a second engine of this checkpoint takes long; assay audit "
           "--observer-cost measures it";
  auto seen = measure_observer(options, prompt, is_asked ? asked_ns : cheap_ns);
  if (!seen) return "not measured: " + seen.error().message;
  const std::size_t blocks = seen->passes_ppm.size();
  if (blocks < min_blocks)
    return fmt::format("not measured: {} blocks of steps are too few; --observer-cost takes longer",
                       blocks);
  return fmt::format(
      "of a pass {}; of a step with what lies between two passes {}; {} blocks of two observed "
      "and two unobserved steps by turns, behind the run; an unobserved pass took {} ns",
      ratio_words(seen->passes_ppm), ratio_words(seen->steps_ppm), blocks,
      seen->pass_ns / static_cast<std::int64_t>(2 * blocks));
}

std::string estimated_words(const run_options& options, double records_a_step) {
  if (records_a_step <= 0.0) return "no estimate: the run took no decode step";
  const auto cost = measure_record();
  if (!cost) return "no estimate: " + cost.error().message;
  if (options.device == telemetry::device_class::cuda)
    return fmt::format(
        "{:.0f} ns between two passes: {:.1f} records a step, {:.1f} ns to write one, caches warm; "
        "what CUPTI takes within a pass is not in it",
        records_a_step * cost->written_ns, records_a_step, cost->written_ns);
  return fmt::format(
      "{:.0f} ns of a step within its pass, {:.0f} ns between two passes: {:.1f} records a step, "
      "{:.1f} ns to tell one and {:.1f} ns to write it, caches warm and no thread in the way; what "
      "reads the kernel's accounts and the counters is not in it",
      records_a_step * cost->told_ns, records_a_step * cost->written_ns, records_a_step,
      cost->told_ns, cost->written_ns);
}

}  // namespace

std::string ratio_words(std::vector<std::int64_t> ratios_ppm) {
  constexpr double level_ratio = 0.95;
  const auto interval = attribution::interval_of_median(ratios_ppm, level_ratio);
  const std::size_t middle = ratios_ppm.size() / 2;
  const double median = ratios_ppm.size() % 2 == 1
                            ? static_cast<double>(ratios_ppm[middle])
                            : 0.5 * (static_cast<double>(ratios_ppm[middle - 1]) +
                                     static_cast<double>(ratios_ppm[middle]));
  return fmt::format("median ratio {:.4f} (95 % interval {:.4f} to {:.4f})", median * per_ppm,
                     static_cast<double>(interval.low) * per_ppm,
                     static_cast<double>(interval.high) * per_ppm);
}

result<observer_ratios> measure_observer(const run_options& options,
                                         std::span<const std::int32_t> prompt,
                                         std::int64_t budget_ns,
                                         const std::function<void()>& also) {
  if (options.device != telemetry::device_class::host || options.vram_limit)
    return ASSAY_FAIL(unavailable, "an arm without an observer: on the host, without a limit");
  auto on = std::make_unique<arm>();
  ASSAY_TRY(on->open(options, also));
  observer_ratios out;
  observer_ratios warm_up;
  const std::int64_t until_ns = host_now().ns + budget_ns;
  while (out.passes_ppm.size() < most_blocks && host_now().ns < until_ns) {
    if (is_interrupted()) return ASSAY_FAIL(interrupted, "interrupted");
    const std::size_t before = out.passes_ppm.size();
    ASSAY_TRY(on->begin(prompt));
    ASSAY_TRY(on->block(true, warm_up));
    for (std::uint32_t step = steps_a_block;
         step + steps_a_block <= steps_a_request && !on->is_over() &&
         out.passes_ppm.size() < most_blocks && host_now().ns < until_ns;
         step += steps_a_block)
      ASSAY_TRY(on->block(out.passes_ppm.size() % 2 == 0, out));
    ASSAY_TRY(on->end());
    // The prompt fills the context.
    if (out.passes_ppm.size() == before) break;
  }
  return out;
}

result<record_cost> measure_record() {
  constexpr int turns = 8;
  constexpr int pairs = 1'000;  // fewer than a ring holds
  probes::host_device_probe probe;
  ASSAY_TRY_ASSIGN(auto out, trace::trace_writer::open("/dev/null"));
  selftest::instrument honest;
  const track lane{&honest, &out};
  recorder to([&](trace::sink& sink) { return probe.drain(sink); }, std::span(&lane, 1));
  device::submission_record call{};
  device::activity_record work{};
  call.kind = work.kind = device::operation_kind::launch;
  call.accepted = true;
  std::int64_t told_ns = 0;
  std::int64_t written_ns = 0;
  for (int turn = 0; turn <= turns; ++turn) {
    const std::int64_t begin_ns = host_now().ns;
    for (int i = 0; i < pairs; ++i) {
      call.correlation = work.correlation = call.correlation + 1;
      probe.on_submission(call);
      probe.on_activity(work);
    }
    const std::int64_t told_at_ns = host_now().ns;
    ASSAY_TRY(to.drain());
    if (turn == 0) continue;  // pages are touched for the first time
    written_ns += host_now().ns - told_at_ns;
    told_ns += told_at_ns - begin_ns;
  }
  constexpr double records = 2.0 * turns * pairs;
  return record_cost{static_cast<double>(told_ns) / records,
                     static_cast<double>(written_ns) / records};
}

std::string observer_facts(const run_options& options, std::span<const std::int32_t> prompt,
                           double records_a_step) {
  trace::run_facts facts;
  facts.add_fact("observer cost, measured", measured_words(options, prompt));
  facts.add_fact("observer cost, estimated", estimated_words(options, records_a_step));
  return trace::to_json(facts);
}

}  // namespace assay::cli
