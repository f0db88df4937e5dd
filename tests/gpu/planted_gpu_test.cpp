// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this, time could move from one part of a GPU's step to another on its way from the
// driver's records to the report: nothing in such a trace is known beforehand. Here something of
// known length happens in every fourth step, and the report must have it in its part and nowhere
// else.
//
// What the rest of such a step should be, the steps around it say: nobody but the driver stamps the
// runtime's own work. So a step may be off by what steps differ anyhow; nine of ten must be within
// the tolerance, and of each kind of plant all but one: time that is told as another part's misses
// all of them.
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "harness/attribution/investigator.h"
#include "harness/cli/audited_run.h"
#include "scenarios/synth/synth.h"
#include "tests/gpu/gpu_gate.h"
#include "tests/gpu/gpu_planter.h"

namespace assay::test {
namespace {

using selftest_test::allowed_ns;
using selftest_test::found_ns;
using selftest_test::largest_miss_ns;
using selftest_test::place_of;
using selftest_test::plant;
using selftest_test::planted;
using selftest_test::planted_count;
using selftest_test::planted_step;
using selftest_test::step_account;
using selftest_test::unclaimed_place;

constexpr std::size_t plants_a_kind = 9;
constexpr std::uint64_t steps_a_plant = 4;
constexpr std::uint64_t first_plant = 9;  // behind what a run does once
constexpr std::uint64_t decode_steps =
    first_plant + steps_a_plant * plants_a_kind * planted_count + steps_a_plant;
constexpr std::int64_t plant_ns = 300'000;

// Many small layers: a step of near a millisecond of a checkpoint that is written in a moment.
result<std::filesystem::path> write_deep_checkpoint() {
  ASSAY_TRY_ASSIGN(synth::shape deep, synth::find_shape("tiny-qwen3"));
  deep.layers = 64;
  const auto folder =
      std::filesystem::path(testing::TempDir()) / ("planted_" + std::to_string(getpid()));
  ASSAY_TRY(synth::write_checkpoint(
      deep, 1, folder, [](std::uint64_t, std::uint64_t) -> result<void> { return {}; }));
  return folder;
}

std::vector<plant> plan_of_all_kinds() {
  std::vector<plant> plan;
  for (std::size_t i = 0; i < plants_a_kind * planted_count; ++i)
    plan.push_back(
        {first_plant + steps_a_plant * i, static_cast<planted>(i % planted_count), plant_ns});
  return plan;
}

struct gpu_planted_run {
  std::vector<planted_step> steps;  ///< witnessed: by the neighbours and the plant
  model::investigation report;
  std::int64_t spun_ns = 0;  ///< by the planted kernels' own clock
  selftest_test::stamps allocation{};
};

gpu_planted_run joined(model::investigation report, const std::vector<gpu_plant>& plants) {
  gpu_planted_run done;
  for (const model::pass_line& line : report.steps) {
    planted_step step;
    step.index = line.index;
    step.wall_ns = line.wall_ns;
    std::copy(line.parts.begin(), line.parts.end(), step.reported.begin());
    step.reported[unclaimed_place] = line.residual_ns;
    for (const gpu_plant& each : plants)
      if (each.plant.wanted.step == line.index) step.plant = each.plant;
    done.steps.push_back(step);
  }
  for (std::size_t at = 0; at < done.steps.size(); ++at)
    done.steps[at].witnessed = by_neighbours(done.steps, at);
  constexpr auto launches = static_cast<std::size_t>(model::time_part::launch);
  for (const gpu_plant& each : plants) {
    const std::size_t place = place_of(each.plant.wanted.what);
    done.spun_ns += each.beside[launches];
    if (place == launches) done.spun_ns += each.plant.at.length_ns();
    if (each.plant.wanted.step >= done.steps.size()) continue;
    step_account& into = done.steps[each.plant.wanted.step].witnessed;
    into[place] += each.plant.at.length_ns();
    for (std::size_t other = 0; other < into.size(); ++other) into[other] += each.beside[other];
  }
  done.report = std::move(report);
  return done;
}

result<gpu_planted_run> run_with_gpu_plants(const std::filesystem::path& checkpoint) {
  ASSAY_TRY_ASSIGN(cli::run_options options, cli::default_run_options());
  options.checkpoint = checkpoint;
  options.device = telemetry::device_class::cuda;
  options.arena_bytes = std::uint64_t{1} << 30;
  options.scenario = scenarios::single_prompt("In the beginning", decode_steps + 1);
  options.scenario.stops_at_eos = false;
  attribution::investigator fold;
  selftest::instrument honest;
  gpu_planter planter(plan_of_all_kinds());
  const std::array<cli::track, 2> tracks{{{&honest, &fold}, planter.track()}};
  ASSAY_TRY(cli::audited_run(options, tracks, [](std::string_view) {}));
  ASSAY_TRY(planter.outcome());
  model::audit_report audit;
  audit.is_complete = true;
  gpu_planted_run done = joined(fold.finish(std::move(audit)), planter.plants());
  done.allocation = planter.allocation();
  return done;
}

std::string listed(const std::vector<std::int64_t>& all) {
  std::string text;
  for (const std::int64_t each : all) text += (text.empty() ? "" : " ") + std::to_string(each);
  return text;
}

bool is_within(const planted_step& step) {
  return largest_miss_ns(step) <= allowed_ns(step.plant ? step.plant->at.length_ns() : 0);
}

// The share of the step that is residual and was not before, and what was slept of it.
bool is_fifth_within(const planted_step& step) {
  const auto wall = static_cast<double>(step.wall_ns);
  const double off_ns = static_cast<double>(found_ns(step) - step.plant->at.length_ns());
  return std::abs(off_ns / wall) <= 0.01;
}

/// Median of each place's distance from what was witnessed.
std::string shifts_of(const std::vector<planted_step>& steps) {
  std::string text;
  for (std::size_t place = 0; place <= unclaimed_place; ++place) {
    std::vector<std::int64_t> off;
    for (const planted_step& each : steps)
      off.push_back(each.reported[place] - each.witnessed[place]);
    std::sort(off.begin(), off.end());
    text += std::string(text.empty() ? "" : ", ") + selftest_test::name_of_place(place) + " " +
            (off.empty() ? "-" : std::to_string(off[off.size() / 2]));
  }
  return text;
}

std::size_t count_within(const std::vector<planted_step>& steps) {
  return static_cast<std::size_t>(std::count_if(steps.begin(), steps.end(), is_within));
}

// One line of raw lengths a kind: what a page of evidence needs.
void tell(const std::string& kind, const std::vector<planted_step>& steps) {
  std::vector<std::int64_t> stamped;
  std::vector<std::int64_t> found;
  std::vector<std::int64_t> misses;
  for (const planted_step& each : steps) {
    misses.push_back(largest_miss_ns(each));
    if (!each.plant) continue;
    stamped.push_back(each.plant->at.length_ns());
    found.push_back(found_ns(each));
  }
  std::printf("%s: %zu steps, %zu within in every part\n", kind.c_str(), steps.size(),
              count_within(steps));
  std::printf("  median off by, ns: %s\n", shifts_of(steps).c_str());
  if (stamped.empty()) return;
  std::printf("  stamped ns: %s\n  found ns: %s\n  worst part off by, ns: %s\n",
              listed(stamped).c_str(), listed(found).c_str(), listed(misses).c_str());
  testing::Test::RecordProperty(kind + ", stamped ns", listed(stamped));
  testing::Test::RecordProperty(kind + ", found ns", listed(found));
  testing::Test::RecordProperty(kind + ", worst part off by ns", listed(misses));
}

std::vector<planted_step> steps_with(const gpu_planted_run& run, planted kind) {
  std::vector<planted_step> all;
  for (const planted_step& each : run.steps)
    if (each.plant && each.plant->wanted.what == kind) all.push_back(each);
  return all;
}

std::vector<planted_step> undisturbed_steps(const gpu_planted_run& run) {
  std::vector<planted_step> all;
  for (const planted_step& each : run.steps)
    if (!each.plant && each.index >= first_plant) all.push_back(each);
  return all;
}

void expect_fifths(const std::vector<planted_step>& steps) {
  std::vector<double> shares;
  std::size_t within = 0;
  for (const planted_step& each : steps) {
    const auto wall = static_cast<double>(each.wall_ns);
    shares.push_back(static_cast<double>(each.plant->at.length_ns()) / wall);
    within += is_fifth_within(each) ? 1 : 0;
    std::printf("  slept %.2f %% of the step, found %.2f %%; of %lld ns\n", 100 * shares.back(),
                100 * static_cast<double>(found_ns(each)) / wall,
                static_cast<long long>(each.wall_ns));
  }
  EXPECT_GE(within + 1, steps.size()) << "each within 1 % of its step";
  std::sort(shares.begin(), shares.end());
  EXPECT_NEAR(shares[shares.size() / 2], 0.20, 0.01);
}

// The report names launches by what they are: planted ones have no range, and one block where the
// length is known.
void expect_named_launches(const gpu_planted_run& run) {
  std::int64_t planted_ns = 0;
  for (const model::launch_line& each : run.report.decode.launches)
    if (each.which.range == "no range" && each.which.blocks == 1) planted_ns += each.on_path_ns;
  std::printf("planted kernels: %lld ns of the steps, %lld ns by their own clock\n",
              static_cast<long long>(planted_ns), static_cast<long long>(run.spun_ns));
  EXPECT_NEAR(static_cast<double>(planted_ns), static_cast<double>(run.spun_ns),
              static_cast<double>(run.spun_ns) / 50);
}

// The only call of the prefill that allocates is the one that was planted.
void expect_timed_allocation(const gpu_planted_run& run) {
  const model::pass_memory& told = run.report.prefill.memory;
  const std::int64_t stamped_ns = run.allocation.length_ns();
  std::printf("planted allocation: %lld ns by its stamps, %lld ns told\n",
              static_cast<long long>(stamped_ns), static_cast<long long>(told.call_ns));
  EXPECT_EQ(told.calls, 1U);
  EXPECT_EQ(told.untimed_calls, 0U);
  EXPECT_LE(std::abs(told.call_ns - stamped_ns), allowed_ns(stamped_ns));
}

// What a mistake would look like: the plant's time, in the part behind its own.
void expect_moved_time_is_seen(const gpu_planted_run& run) {
  std::size_t seen = 0;
  std::size_t plants = 0;
  for (planted_step step : run.steps) {
    if (!step.plant) continue;
    ++plants;
    const std::size_t place = place_of(step.plant->wanted.what);
    step.reported[place] -= step.plant->at.length_ns();
    step.reported[(place + 1) % (unclaimed_place + 1)] += step.plant->at.length_ns();
    seen += is_within(step) ? 0 : 1;
  }
  EXPECT_EQ(seen, plants);
}

TEST(Cupti9Planted, lengths_are_in_their_part_and_in_no_other) {
  ASSAY_NEEDS_GPU();
  const auto checkpoint = write_deep_checkpoint();
  ASSERT_TRUE(checkpoint) << checkpoint.error().message;
  const auto run = run_with_gpu_plants(*checkpoint);
  std::filesystem::remove_all(*checkpoint);
  ASSERT_TRUE(run) << run.error().message;
  ASSERT_EQ(run->steps.size(), decode_steps);
  EXPECT_EQ(run->report.decode.closure_ns, 0);
  std::printf("median wall of a step without a plant: %lld ns\n",
              static_cast<long long>(selftest_test::median_wall_ns({run->steps, {}, 0})));
  for (std::size_t kind = 0; kind < planted_count; ++kind) {
    const auto what = static_cast<planted>(kind);
    const std::vector<planted_step> steps = steps_with(*run, what);
    const std::string name(selftest_test::to_string(what));
    tell(name, steps);
    ASSERT_EQ(steps.size(), plants_a_kind) << name;
    EXPECT_GE(count_within(steps) + 1, steps.size()) << name;
    for (const planted_step& each : steps) {
      EXPECT_GE(each.plant->at.length_ns(), 50'000) << name;
    }
    if (what == planted::fifth) expect_fifths(steps);
  }
  const std::vector<planted_step> others = undisturbed_steps(*run);
  tell("no plant", others);
  EXPECT_GE(count_within(others), others.size() - others.size() / 10);
  expect_named_launches(*run);
  expect_timed_allocation(*run);
  expect_moved_time_is_seen(*run);
}

}  // namespace
}  // namespace assay::test
