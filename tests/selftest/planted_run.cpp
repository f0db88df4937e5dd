// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/selftest/planted_run.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <utility>

#include "harness/attribution/investigator.h"
#include "harness/cli/track.h"
#include "runtime/telemetry/check.h"
#include "scenarios/embedded.h"

namespace assay::selftest_test {
namespace {

using device::operation_kind;
using model::time_part;

constexpr std::size_t at(time_part part) {
  return static_cast<std::size_t>(part);
}

// Passes the trace on and keeps the harness's stamps of each decode step.
class stepping_sink final : public trace::sink {
 public:
  result<void> contract(std::string_view json) override { return fold.contract(json); }
  result<void> facts(std::string_view json) override { return fold.facts(json); }
  result<void> records(std::span<const assay_record> records) override {
    for (const assay_record& each : records)
      if (each.kind == ASSAY_WINDOW_END && each.op == ASSAY_WINDOW_DECODE_STEP)
        steps.push_back({each.start_ns, each.end_ns});
    return fold.records(records);
  }
  result<void> snapshot(std::int64_t at_ns, std::span<const assay_reading> readings) override {
    return fold.snapshot(at_ns, readings);
  }
  result<void> end() override { return fold.end(); }

  attribution::investigator fold;
  std::vector<stamps> steps;
};

struct covered {
  stamps at;
  std::size_t place = 0;
};

std::size_t place_of(const witnessed_call& call) {
  if (call.kind == operation_kind::launch) return at(time_part::launch);
  if (call.kind == operation_kind::event_record) return at(time_part::event);
  return call.direction == device::copy_direction::h2d   ? at(time_part::h2d)
         : call.direction == device::copy_direction::d2h ? at(time_part::d2h)
                                                         : at(time_part::d2d);
}

// Calls, what they asked for, and the time in which that did not run yet. An operation that waits
// for an event covers nothing.
std::vector<covered> covered_by(const witness& seen) {
  std::vector<covered> all;
  auto work = seen.works.begin();
  for (const witnessed_call& call : seen.calls) {
    const bool waits = call.sequence == 0;
    all.push_back({call.at, waits ? at(time_part::sync) : at(time_part::submit)});
    if (waits || call.kind == operation_kind::event_wait) continue;
    while (work != seen.works.end() && work->sequence < call.sequence) ++work;
    if (work == seen.works.end() || work->sequence != call.sequence) continue;
    all.push_back({work->at, place_of(call)});
    all.push_back({{call.at.end_ns, work->at.begin_ns}, at(time_part::gap)});
  }
  return all;
}

// Between two neighbouring stamps nothing changes: the stretch is the first's of those that cover
// it. No code of the report's is in this.
step_account divided(const std::vector<covered>& all, const stamps& step) {
  std::vector<std::int64_t> cuts{step.begin_ns, step.end_ns};
  std::vector<const covered*> within;
  for (const covered& each : all) {
    if (each.at.end_ns <= step.begin_ns || each.at.begin_ns >= step.end_ns) continue;
    if (each.at.end_ns <= each.at.begin_ns) continue;
    within.push_back(&each);
    for (const std::int64_t cut : {each.at.begin_ns, each.at.end_ns})
      if (cut > step.begin_ns && cut < step.end_ns) cuts.push_back(cut);
  }
  std::sort(cuts.begin(), cuts.end());
  step_account account{};
  for (std::size_t i = 1; i < cuts.size(); ++i) {
    std::size_t place = unclaimed_place;
    for (const covered* each : within)
      if (each->at.begin_ns <= cuts[i - 1] && each->at.end_ns >= cuts[i])
        place = std::min(place, each->place);
    account[place] += cuts[i] - cuts[i - 1];
  }
  return account;
}

planted_run joined(const stepping_sink& sink, model::investigation report, const witness& seen) {
  planted_run done;
  done.report = std::move(report);
  done.elsewhere = seen.elsewhere;
  const std::vector<covered> all = covered_by(seen);
  for (const model::pass_line& line : done.report.steps) {
    planted_step step;
    step.index = line.index;
    step.wall_ns = line.wall_ns;
    std::copy(line.parts.begin(), line.parts.end(), step.reported.begin());
    step.reported[unclaimed_place] = line.residual_ns;
    if (line.index < sink.steps.size()) step.witnessed = divided(all, sink.steps[line.index]);
    for (const planted_stamp& each : seen.plants)
      if (each.wanted.step == line.index) step.plant = each;
    done.steps.push_back(step);
  }
  return done;
}

}  // namespace

std::size_t place_of(planted what) {
  switch (what) {
    case planted::launch:
      return at(time_part::launch);
    case planted::h2d:
      return at(time_part::h2d);
    case planted::d2h:
      return at(time_part::d2h);
    case planted::gap:
      return at(time_part::gap);
    case planted::submission:
      return at(time_part::submit);
    case planted::wait:
      return at(time_part::sync);
    case planted::unclaimed:
    case planted::fifth:
      return unclaimed_place;
  }
  return unclaimed_place;
}

cli::run_options one_request(std::uint32_t steps) {
  cli::run_options options = cli::default_run_options().value();
  options.scenario = scenarios::single_prompt("In the beginning", steps + 1);
  options.scenario.stops_at_eos = false;
  // With helpers a launch's record ends with its last block, and the worker's stamps with the
  // hand-over behind it: 2 us later, 35 times a step.
  options.threads = 1;
  return options;
}

result<planted_run> run_with_plants(const cli::run_options& options, std::vector<plant> plan) {
  const auto seen = std::make_shared<witness>();
  const auto make = [&](const device::host_device_options& wanted) -> result<cli::made_device> {
    ASSAY_TRY_ASSIGN(auto front, planting_device::create(wanted, std::move(plan), seen));
    device::host_device* inner = &front->inner();
    return cli::made_device{std::move(front), inner};
  };
  selftest::instrument honest;
  stepping_sink sink;
  const cli::track only{&honest, &sink};
  ASSAY_TRY(cli::audited_run(
      options, {&only, 1}, [](std::string_view) {}, make));
  model::audit_report audit;
  audit.is_complete = true;
  return joined(sink, sink.fold.finish(std::move(audit)), *seen);
}

std::int64_t found_ns(const planted_step& step) {
  const std::size_t place = place_of(step.plant->wanted.what);
  return step.reported[place] - (step.witnessed[place] - step.plant->at.length_ns());
}

std::int64_t largest_miss_ns(const planted_step& step) {
  std::int64_t most = 0;
  for (std::size_t place = 0; place <= unclaimed_place; ++place)
    most = std::max(most, std::abs(step.reported[place] - step.witnessed[place]));
  return most;
}

std::int64_t median_wall_ns(const planted_run& of) {
  std::vector<std::int64_t> walls;
  for (const planted_step& each : of.steps)
    if (!each.plant) walls.push_back(each.wall_ns);
  std::sort(walls.begin(), walls.end());
  return walls.empty() ? 0 : walls[walls.size() / 2];
}

}  // namespace assay::selftest_test
