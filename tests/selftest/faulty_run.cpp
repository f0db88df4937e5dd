// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/selftest/faulty_run.h"

#include <algorithm>
#include <array>
#include <span>

#include "harness/audit/auditor.h"
#include "harness/cli/track.h"
#include "scenarios/embedded.h"

namespace assay::selftest_test {
namespace {

using telemetry::activity;
using telemetry::direction;
using telemetry::range;
using id = telemetry::counter_id;

bool is_kind(activity claimed, std::optional<device::operation_kind> struck) {
  if (!struck)
    return claimed == activity::copy || claimed == activity::launch || claimed == activity::event;
  switch (*struck) {
    case device::operation_kind::copy:
      return claimed == activity::copy;
    case device::operation_kind::launch:
      return claimed == activity::launch;
    case device::operation_kind::event_record:
      return claimed == activity::event;
    default:
      return false;
  }
}

bool is_direction(direction claimed, std::optional<device::copy_direction> struck) {
  if (!struck || claimed == direction::any) return true;
  switch (*struck) {
    case device::copy_direction::h2d:
      return claimed == direction::h2d;
    case device::copy_direction::d2h:
      return claimed == direction::d2h;
    case device::copy_direction::d2d:
      return claimed == direction::d2d;
  }
  return false;
}

// Events of the work's own label make the bracket of a timed counter.
bool is_bracketed(const telemetry::counter_contract& counter, const device::fault_plan& plan) {
  return plan.kind == device::operation_kind::event_record &&
         counter.clock.value == clock_domain::device_event &&
         label(counter.claims.value.range) == plan.range;
}

// The device ends with its run: what its fault did is asked for when the trace ends.
class counted_trace final : public memory_trace {
 public:
  const device::faulty_executor* executor = nullptr;
  device::fault_count count;
  result<void> end() override {
    count = executor->count();
    return memory_trace::end();
  }
};

}  // namespace

device::range_label label(range of) {
  return static_cast<device::range_label>(of);
}

std::string_view name_of(id counter) {
  return telemetry::contract_of(counter).name.value;
}

const model::counter_line& line_of(const model::audit_report& report, id counter) {
  return report.counters.at(static_cast<std::size_t>(counter));
}

cli::run_options short_run() {
  cli::run_options options = cli::default_run_options().value();
  options.scenario = scenarios::embedded_scenario(options.checkpoint).value();
  options.scenario.requests.resize(2);
  options.scenario.max_new_tokens = 12;
  return options;
}

faulty_run run_with(const device::fault_plan& plan) {
  const auto trace = std::make_shared<counted_trace>();
  const auto make = [&](const device::host_device_options& wanted) -> result<cli::made_device> {
    ASSAY_TRY_ASSIGN(auto front, device::faulty_executor::create(wanted, plan));
    trace->executor = front.get();
    device::host_device* inner = &front->inner();
    return cli::made_device{std::move(front), inner};
  };
  selftest::instrument live_instrument;
  selftest::instrument kept_instrument;
  audit::auditor auditor;
  const std::array<cli::track, 2> tracks{
      {{&live_instrument, &auditor}, {&kept_instrument, trace.get()}}};
  faulty_run done;
  done.trace = trace;
  if (auto ran = cli::audited_run(
          short_run(), tracks, [](std::string_view) {}, make);
      !ran) {
    done.failure = std::move(ran).error().message;
    return done;
  }
  done.count = trace->count;
  done.report = auditor.finish().value();
  return done;
}

bool is_claimed(const telemetry::counter_contract& counter, const device::fault_plan& plan) {
  const telemetry::claim& claim = counter.claims.value;
  const bool is_sentinel = plan.range == label(range::sentinel);
  const bool is_range = !is_sentinel && (claim.range == range::any || !plan.range ||
                                         label(claim.range) == plan.range);
  return is_kind(claim.kind, plan.kind) && is_range && is_direction(claim.dir, plan.direction);
}

std::vector<id> derived_from(range of) {
  switch (of) {
    case range::weights:
      return {id::checkpoint_unused_tensors_count};
    case range::inputs:
      return {id::engine_prompt_tokens, id::engine_decode_steps_count, id::engine_requests_count};
    case range::logits:
      return {
          id::engine_generated_tokens,  id::sampling_draws_count, id::sampling_candidates_count,
          id::tokenizer_decoded_tokens, id::engine_itl_ns,        id::engine_decode_tokens_per_s};
    default:
      return {};
  }
}

std::vector<id> touched_by(const device::fault_plan& plan) {
  std::vector<id> touched;
  const std::span<const telemetry::counter_contract> catalog = telemetry::catalog();
  for (std::size_t row = 0; row < catalog.size(); ++row)
    if (is_claimed(catalog[row], plan) || is_bracketed(catalog[row], plan))
      touched.push_back(static_cast<id>(row));
  const bool is_amount = plan.fault == device::executor_fault::drop ||
                         plan.fault == device::executor_fault::run_twice ||
                         plan.fault == device::executor_fault::copy_half;
  if (is_amount && plan.kind == device::operation_kind::copy && plan.range)
    for (const id counter : derived_from(static_cast<range>(*plan.range)))
      touched.push_back(counter);
  if (plan.range != label(range::sentinel) && (plan.fault == device::executor_fault::drop ||
                                               plan.fault == device::executor_fault::run_twice))
    touched.push_back(id::device_submissions_count);
  return touched;
}

}  // namespace assay::selftest_test
