// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this, time could move from one part of a step to another on its way from the device's
// records to the report, and the report's own tests would not see it: they plant in the trace. Here
// the device itself takes the time, in a live run.
//
// Beside other work a step is stretched anywhere. Who planted stamps the whole step, so that this
// is in its account as in the report's: the two differ where a thread lost its core between a stamp
// of the one and of the other, a tenth of a microsecond wide. So nine steps of ten must be within
// the tolerance, and of each kind of plant all but one: a part that is told as another misses all.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "harness/attribution/investigator.h"
#include "harness/cli/no_sink.h"
#include "runtime/ops/isa.h"
#include "tests/selftest/planted_run.h"

namespace assay::selftest_test {
namespace {

constexpr std::size_t kinds_of_known_length = planted_count - 1;  // a fifth is of the step's
constexpr std::size_t plants_a_kind = 5;
constexpr std::int64_t plant_length_ns = 1'000'000;

std::string told(const planted_step& step) {
  std::string text = "step " + std::to_string(step.index);
  if (step.plant)
    text += ", " + std::string(to_string(step.plant->wanted.what)) + " of " +
            std::to_string(step.plant->at.length_ns()) + " ns, found " +
            std::to_string(found_ns(step));
  for (std::size_t place = 0; place <= unclaimed_place; ++place)
    text += std::string("; ") + name_of_place(place) + " " + std::to_string(step.reported[place]) +
            " of " + std::to_string(step.witnessed[place]);
  return text + "\n";
}

// Every part and the residual, of steps with a plant and of those between them.
TEST(Planted, lengths_are_in_their_part_and_in_no_other) {
  std::vector<plant> plan;
  for (std::uint64_t i = 0; i < plants_a_kind * kinds_of_known_length; ++i)
    plan.push_back({1 + 2 * i, static_cast<planted>(i % kinds_of_known_length), plant_length_ns});
  const auto run = run_with_plants(one_request(70), plan);
  ASSERT_TRUE(run) << run.error().message;
  ASSERT_EQ(run->steps.size(), 70U);
  EXPECT_EQ(run->elsewhere, 0U);
  std::size_t missed = 0;
  std::array<std::size_t, planted_count> plants{};
  std::array<std::size_t, planted_count> missed_plants{};
  std::string misses;
  for (const planted_step& step : run->steps) {
    ASSERT_EQ(step.plant.has_value(), step.index % 2 == 1) << step.index;
    const std::int64_t length_ns = step.plant ? step.plant->at.length_ns() : 0;
    const std::size_t kind = step.plant ? static_cast<std::size_t>(step.plant->wanted.what) : 0;
    plants[kind] += step.plant ? 1 : 0;
    // A copy is as long as the memory lets it be.
    if (step.plant) {
      EXPECT_GE(length_ns, plant_length_ns / 20) << told(step);
    }
    if (largest_miss_ns(step) <= allowed_ns(length_ns)) continue;
    ++missed;
    missed_plants[kind] += step.plant ? 1 : 0;
    misses += told(step);
  }
  EXPECT_LE(missed, run->steps.size() / 10) << misses;
  for (std::size_t kind = 0; kind < kinds_of_known_length; ++kind) {
    EXPECT_EQ(plants[kind], plants_a_kind) << to_string(static_cast<planted>(kind));
    EXPECT_LE(missed_plants[kind], 1U) << to_string(static_cast<planted>(kind)) << ":\n" << misses;
  }
  EXPECT_EQ(run->report.decode.closure_ns, 0);
}

// The report names launches by what they are; one that belongs to no range is the planted one.
TEST(Planted, operators_are_told_from_the_step_s_own) {
  std::vector<plant> plan;
  for (std::uint64_t step = 1; step < 12; step += 2)
    plan.push_back({step, planted::launch, plant_length_ns});
  const auto run = run_with_plants(one_request(12), plan);
  ASSERT_TRUE(run) << run.error().message;
  std::int64_t planted_ns = 0;
  for (const planted_step& step : run->steps)
    if (step.plant) planted_ns += step.plant->at.length_ns();
  const auto& launches = run->report.decode.launches;
  const auto own = std::find_if(launches.begin(), launches.end(),
                                [](const auto& each) { return each.which.range == "no range"; });
  ASSERT_NE(own, launches.end());
  EXPECT_EQ(own->launches, plan.size());
  EXPECT_NEAR(static_cast<double>(own->on_path_ns), static_cast<double>(planted_ns),
              static_cast<double>(planted_ns) / 50);
}

/// Allocates and frees behind the first wait of a decode step, and stamps all of it.
class allocating_instrument final : public selftest::instrument {
 public:
  static constexpr std::uint64_t calls = 400;

  void on_call(const selftest::device_call& call, device::device& real) noexcept override {
    if (call.kind != device::operation_kind::synchronize || ++waits_ != 3) return;
    at.begin_ns = own_now_ns();
    for (std::uint64_t i = 0; i < calls / 2; ++i) {
      const auto made = real.allocate(64);
      is_whole = made && real.free(*made) && is_whole;
    }
    at.end_ns = own_now_ns();
  }

  stamps at;
  bool is_whole = true;

 private:
  int waits_ = 0;  // the load's, the prefill's, a step's
};

// Calls of the arena that lie end to end, in a live run: together they are as long as all of them.
TEST(Planted, calls_that_allocate_are_told_beside_the_residual) {
  selftest::instrument honest;
  attribution::investigator fold;
  allocating_instrument allocating;
  cli::no_sink nowhere;
  const std::array<cli::track, 2> tracks{{{&honest, &fold}, {&allocating, &nowhere}}};
  const auto ran = cli::audited_run(one_request(4), tracks, [](std::string_view) {});
  ASSERT_TRUE(ran) << ran.error().message;
  ASSERT_TRUE(allocating.is_whole);
  const model::investigation found = fold.finish({});
  const model::pass_memory& memory = found.decode.memory;
  EXPECT_EQ(memory.calls, allocating_instrument::calls);
  EXPECT_EQ(memory.untimed_calls, 0U);
  EXPECT_EQ(found.decode.allocations, allocating_instrument::calls / 2);
  EXPECT_LE(memory.call_ns, allocating.at.length_ns());
  // Between two calls lie their records, and on a busy machine whoever else has the core.
  EXPECT_GE(memory.call_ns, allocating.at.length_ns() / 4);
  EXPECT_EQ(memory.residual_ns, memory.call_ns) << "nothing else was recorded meanwhile";
}

// Slow kernels make steps long enough for the account that they are held against: two stamps a call
// are 5 us a step, where the caller has its core to itself.
TEST(Planted, a_fifth_that_nothing_claims_is_residual_in_its_step_and_in_no_neighbour) {
  std::vector<plant> plan;
  for (std::uint64_t step = 1; step < 16; step += 2) plan.push_back({step, planted::fifth});
  const cli::run_options options = one_request(16);
  const ops::isa before = ops::isa_in_force();
  ops::limit_isa(ops::isa::portable);
  const auto run = run_with_plants(options, plan);
  ops::limit_isa(before);
  ASSERT_TRUE(run) << run.error().message;
  std::size_t missed = 0;
  std::size_t missed_plants = 0;
  std::vector<double> shares;
  std::string misses;
  for (const planted_step& step : run->steps) {
    const auto share_of = [&](std::int64_t ns) {
      return static_cast<double>(ns) / static_cast<double>(step.wall_ns);
    };
    const std::int64_t rest_ns =
        step.witnessed[unclaimed_place] - (step.plant ? step.plant->at.length_ns() : 0);
    const double found = share_of(step.reported[unclaimed_place] - rest_ns);
    // What holds a step up behind the sleep, or in it, leaves less or more than a fifth.
    const double slept = step.plant ? share_of(step.plant->at.length_ns()) : 0.0;
    if (step.plant) shares.push_back(slept);
    if (std::abs(found - slept) <= 0.01) continue;
    ++missed;
    missed_plants += step.plant ? 1 : 0;
    misses += told(step);
  }
  EXPECT_LE(missed, run->steps.size() / 10) << misses;
  EXPECT_LE(missed_plants, 1U) << misses;
  ASSERT_EQ(shares.size(), plan.size());
  std::sort(shares.begin(), shares.end());
  EXPECT_NEAR(shares[shares.size() / 2], 0.20, 0.01);
}

}  // namespace
}  // namespace assay::selftest_test
