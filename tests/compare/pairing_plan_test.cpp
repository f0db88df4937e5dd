// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this, one side could always run first, the two of a pair could lie minutes apart, or the
// same seed could give another order on another machine: a table nobody can make again.
#include <algorithm>
#include <map>
#include <set>

#include <gmock/gmock.h>

#include "harness/compare/counter_rng.h"
#include "harness/compare/pairing_plan.h"

namespace assay::compare {
namespace {

// "2bhhb" is a block of subject 2 in the order base, head, head, base.
std::string words(const std::vector<planned_process>& plan) {
  std::string out;
  for (std::size_t at = 0; at < plan.size(); ++at) {
    if (plan[at].slot == 0) out += (at == 0 ? "" : " ") + std::to_string(plan[at].subject);
    out += plan[at].side == side::base ? 'b' : 'h';
  }
  return out;
}

// The literals come from a second implementation, of the description in counter_rng.h, in Python.
TEST(CounterRng, draws_are_the_same_on_every_platform) {
  counter_rng one(1, rng_stream::pairing_plan);
  EXPECT_EQ(one.next(), 0x7306eb854d7e7edbULL);
  EXPECT_EQ(one.next(), 0x484236e4530a096aULL);
  EXPECT_EQ(one.next(), 0xe385b2cc44f9c2efULL);
  counter_rng other_stream(7, rng_stream::visible_change, 3);
  EXPECT_EQ(other_stream.next(), 0xb5a442c1cce8dad7ULL);
  EXPECT_EQ(other_stream.next(), 0x7d913b9769137ba7ULL);
}

TEST(CounterRng, draws_are_even) {
  counter_rng rng(99, rng_stream::pairing_plan);
  std::map<std::uint64_t, int> seen;
  for (int i = 0; i < 60'000; ++i) ++seen[rng.below(6)];
  ASSERT_EQ(seen.size(), 6U);
  for (const auto& [value, count] : seen) EXPECT_NEAR(count, 10'000, 500) << value;
}

TEST(PairingPlan, is_the_same_on_every_platform) {
  EXPECT_EQ(words(pairing_plan(42, stage::screen, {0, 1, 2}, 8)),
            "2bhhb 0hbbh 1hbbh 0bhhb 2bhhb 1bhhb 2hbbh 1bhhb 0hbbh 2bhhb 1hbbh 0hbbh");
  EXPECT_EQ(words(pairing_plan(42, stage::confirm, {0, 1, 2}, 4)),
            "2bhhb 0hbbh 1bhhb 0bhhb 1bhhb 2bhhb");
  EXPECT_EQ(words(pairing_plan(43, stage::screen, {0, 1, 2}, 4)),
            "0hbbh 2hbbh 1bhhb 2hbbh 1bhhb 0hbbh");
}

TEST(PairingPlan, every_pair_is_one_of_each_side_in_neighbouring_places) {
  const auto plan = pairing_plan(7, stage::screen, {4, 9, 2, 11, 3}, 12);
  ASSERT_EQ(plan.size(), 5U * 12 * 2);
  for (std::size_t at = 0; at < plan.size(); at += 2) {
    EXPECT_EQ(plan[at].subject, plan[at + 1].subject);
    EXPECT_EQ(plan[at].block, plan[at + 1].block);
    EXPECT_NE(plan[at].side, plan[at + 1].side);
    EXPECT_EQ(plan[at].slot + 1, plan[at + 1].slot);
  }
  // The second pair of a block is the first one backwards.
  for (std::size_t at = 0; at < plan.size(); at += 4) EXPECT_EQ(plan[at].side, plan[at + 3].side);
}

TEST(PairingPlan, neither_side_is_first_more_often_and_the_order_changes) {
  std::vector<std::uint32_t> subjects(20);
  for (std::uint32_t i = 0; i < 20; ++i) subjects[i] = i;
  const auto plan = pairing_plan(5, stage::screen, subjects, 200);
  const auto base_first = std::count_if(plan.begin(), plan.end(), [](const auto& each) {
    return each.slot == 0 && each.side == side::base;
  });
  EXPECT_NEAR(static_cast<double>(base_first), 1000, 95);  // 3 sd of 2000 coins
  std::set<std::vector<std::uint32_t>> orders;
  for (std::uint32_t block = 0; block < 100; ++block) {
    std::vector<std::uint32_t> order;
    for (const auto& each : plan)
      if (each.block == block && each.slot == 0) order.push_back(each.subject);
    ASSERT_EQ(std::set<std::uint32_t>(order.begin(), order.end()).size(), 20U);
    orders.insert(order);
  }
  EXPECT_EQ(orders.size(), 100U);
}

TEST(PairingPlan, odd_pairs_are_rounded_up_and_nothing_is_nothing) {
  EXPECT_EQ(pairing_plan(1, stage::screen, {0}, 3).size(), 8U);
  EXPECT_TRUE(pairing_plan(1, stage::screen, {}, 12).empty());
  EXPECT_TRUE(pairing_plan(1, stage::screen, {0, 1}, 0).empty());
}

}  // namespace
}  // namespace assay::compare
