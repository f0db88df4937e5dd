// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this file sampling could favour tokens, repeat itself across seeds, or turn NaN into a
// token.
#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "runtime/sampling/random.h"
#include "runtime/sampling/sampler.h"
#include "runtime/telemetry/registry.h"
#include "tests/engine/running_engine.h"

namespace assay::sampling {
namespace {

using engine_test::expect;
using telemetry::counter_id;

TEST(Random, philox_gives_the_known_answers) {
  using words = std::array<std::uint32_t, 4>;
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}), (words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  const std::uint32_t ones = 0xffffffff;
  EXPECT_EQ(philox({ones, ones, ones, ones}, {ones, ones}),
            (words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
}

TEST(Random, a_draw_depends_on_seed_and_index_alone) {
  EXPECT_EQ(uniform(7, 3), uniform(7, 3));
  EXPECT_NE(uniform(7, 3), uniform(7, 4));
  EXPECT_NE(uniform(7, 3), uniform(8, 3));
  EXPECT_NE(uniform(7, 3), uniform(7, 3 + (std::uint64_t{1} << 32)));
  EXPECT_NE(uniform(7, 3), uniform(7 + (std::uint64_t{1} << 32), 3));
}

TEST(Greedy, takes_the_lowest_id_on_a_tie) {
  EXPECT_EQ(expect(pick_highest(std::vector<float>{1.0F, 3.0F, 3.0F, 2.0F})), 1);
}

TEST(Greedy, refuses_logits_that_are_not_finite) {
  for (const float bad : {NAN, INFINITY, -INFINITY}) {
    const auto got = pick_highest(std::vector<float>{1.0F, bad, 0.0F});
    ASSERT_FALSE(got.has_value());
    EXPECT_EQ(got.error().kind, error_kind::unusable_input);
    EXPECT_NE(got.error().message.find("id 1"), std::string::npos) << got.error().message;
  }
}

// Long enough for several looks and short of a whole one at the end; every place in turn.
TEST(Greedy, finds_the_highest_and_the_first_fault_wherever_they_are) {
  constexpr std::size_t count = 2 * 1024 + 21;
  std::vector<float> logits(count);
  for (std::size_t i = 0; i < count; ++i) logits[i] = -2.0F - static_cast<float>(i % 5);
  for (std::size_t at = 0; at < count; ++at) {
    const float before = std::exchange(logits[at], -1.0F);
    ASSERT_EQ(expect(pick_highest(logits)), static_cast<std::int32_t>(at));
    logits[at] = at % 2 == 0 ? NAN : -INFINITY;
    const float last = std::exchange(logits[count - 1], NAN);
    const auto got = pick_highest(logits);
    ASSERT_FALSE(got.has_value());
    ASSERT_NE(got.error().message.find("id " + std::to_string(at) + " "), std::string::npos)
        << got.error().message;
    logits[count - 1] = last;
    logits[at] = before;
  }
  logits[7] = logits[1024 + 3] = logits[count - 2] = -1.0F;
  EXPECT_EQ(expect(pick_highest(logits)), 7);
}

TEST(Temperature, edges_of_a_draw_stay_inside) {
  std::vector<double> scratch;
  const std::vector<float> logits{0.0F, 0.0F, 0.0F, 0.0F};
  EXPECT_EQ(expect(pick_at(logits, 1.0, 0.0, scratch)), 0);
  EXPECT_EQ(expect(pick_at(logits, 1.0, 0.25, scratch)), 1);
  EXPECT_EQ(expect(pick_at(logits, 1.0, 1.0 - 0x1p-53, scratch)), 3);
}

// Chi-square with 4 degrees of freedom exceeds 23.5 once in 10,000; the seed is fixed, so this is
// a fact about the generator and not a coin thrown at each run.
TEST(Temperature, frequencies_follow_the_softmax) {
  const std::vector<float> logits{0.0F, 1.0F, -1.0F, 2.0F, 0.5F};
  for (const double temperature : {0.5, 1.0, 2.0}) {
    double total = 0.0;
    for (const float logit : logits) total += std::exp(logit / temperature);
    telemetry::null_writer counters;
    sampler draws(counters);
    draws.begin(temperature, 42);
    constexpr int count = 20000;
    std::array<int, 5> seen{};
    for (int i = 0; i < count; ++i) ++seen[static_cast<std::size_t>(expect(draws.draw(logits)))];
    double chi_square = 0.0;
    for (std::size_t id = 0; id < logits.size(); ++id) {
      const double want = count * std::exp(logits[id] / temperature) / total;
      chi_square += (seen[id] - want) * (seen[id] - want) / want;
    }
    EXPECT_LT(chi_square, 23.5) << "temperature " << temperature;
  }
}

TEST(Temperature, counts_one_random_number_a_draw_and_none_when_greedy) {
  const std::vector<float> logits{0.0F, 1.0F, 2.0F};
  telemetry::registry counters;
  sampler draws(counters);
  draws.begin(0.0, 0);
  expect(draws.draw(logits));
  EXPECT_EQ(counters.read(counter_id::sampling_random_draws_count).state,
            telemetry::reading_state::zero);
  draws.begin(1.0, 0);
  expect(draws.draw(logits));
  expect(draws.draw(logits));
  EXPECT_EQ(counters.read(counter_id::sampling_random_draws_count).integer(), 2);
  EXPECT_EQ(counters.read(counter_id::sampling_draws_count).integer(), 3);
  EXPECT_EQ(counters.read(counter_id::sampling_candidates_count).integer(), 9);
}

}  // namespace
}  // namespace assay::sampling

namespace assay::engine_test {
namespace {

TEST(Temperature, a_seed_repeats_a_whole_generation_and_another_does_not) {
  running_engine engine(micro_folder);
  const std::vector<std::int32_t> prompt{40, 83, 506};
  engine::request_options options;
  options.max_new_tokens = 24;
  options.temperature = 1.0;
  options.stop_at_eos = false;
  options.seed = 5;
  const auto first = engine.generate(prompt, options);
  EXPECT_EQ(engine.generate(prompt, options), first);
  options.seed = 6;
  EXPECT_NE(engine.generate(prompt, options), first);
}

}  // namespace
}  // namespace assay::engine_test
