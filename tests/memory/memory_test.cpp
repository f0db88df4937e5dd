// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this file a policy could keep the wrong weights and a test of token ids would never
// notice: a cache that never hits computes the same text. So could a limit that nobody reads right,
// and a region that is filled again while it is read.
#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "runtime/device/host_device.h"
#include "runtime/memory/placement.h"
#include "runtime/memory/residency.h"
#include "runtime/memory/staging_ring.h"
#include "runtime/memory/vram_limit.h"

namespace assay::memory {
namespace {

constexpr std::uint64_t mib = 1 << 20;

// Ten weights of one byte, one after the other, as a dense decode reads them.
std::vector<weight_access> scan(int cycles) {
  std::vector<weight_access> trace;
  for (int cycle = 0; cycle < cycles; ++cycle)
    for (weight_key key = 0; key < 10; ++key) trace.push_back({key, 1});
  return trace;
}

residency_tally run(residency_policy& policy, const std::vector<weight_access>& trace) {
  const residency_tally before = policy.tally();
  std::vector<weight_key> evicted;
  for (const weight_access& each : trace) policy.look_up(each, evicted);
  return policy.tally() - before;
}

class Scan : public testing::TestWithParam<std::uint64_t> {};

// W = 10; one warm cycle, then five. LRU: 0 of 50 whatever the budget. Pin: B of 10 in each.
TEST_P(Scan, lru_never_hits_and_pin_hits_what_fits) {
  const std::uint64_t budget = GetParam();
  const auto lru = make_policy(residency_kind::lru, budget);
  run(*lru, scan(1));
  const residency_tally of_lru = run(*lru, scan(5));
  EXPECT_EQ(of_lru.hits_count, 0U);
  EXPECT_EQ(of_lru.page_in_bytes, 50U);
  EXPECT_EQ(of_lru.evictions_count, 50U);

  const auto pin = make_policy(residency_kind::pin, budget);
  const residency_tally fill = run(*pin, scan(1));
  EXPECT_EQ(fill.admitted_bytes, budget);
  EXPECT_EQ(fill.hits_count, 0U) << "the fill is a window of its own";
  const residency_tally steady = run(*pin, scan(5));
  EXPECT_EQ(steady.hits_count, 5 * budget);
  EXPECT_EQ(steady.hit_bytes, 5 * budget);
  EXPECT_EQ(steady.page_ins_count, 50 - 5 * budget);
  EXPECT_EQ(steady.evictions_count, 0U);
  EXPECT_EQ(steady.admitted_count, 0U);
}

TEST_P(Scan, the_optimum_is_what_pin_reaches) {
  const std::uint64_t budget = GetParam();
  const optimum warm = best_possible(scan(1), budget);
  const optimum all = best_possible(scan(6), budget);
  EXPECT_EQ(warm.hit_bytes, 0U);
  EXPECT_EQ(all.hit_bytes, 5 * budget);
  EXPECT_EQ(all.lookup_bytes, 60U);
}

INSTANTIATE_TEST_SUITE_P(Budgets, Scan, testing::Values(2, 4, 6, 8));

TEST(Residency, everything_that_fits_hits_under_either_policy) {
  for (const residency_kind kind : {residency_kind::pin, residency_kind::lru}) {
    const auto policy = make_policy(kind, 10);
    run(*policy, scan(1));
    EXPECT_EQ(run(*policy, scan(5)).hits_count, 50U) << to_string(kind);
    EXPECT_EQ(policy->tally().evictions_count, 0U);
  }
}

// 240 lookups, 4 weights, room for 3: 178 hits, 62 page-ins, 59 evictions.
TEST(Residency, a_skewed_sequence_under_lru_is_as_published) {
  constexpr std::array<weight_key, 12> period{0, 0, 0, 0, 1, 0, 1, 2, 0, 3, 0, 1};
  std::vector<weight_access> trace;
  for (int i = 0; i < 20; ++i)
    for (const weight_key key : period) trace.push_back({key, 1});
  const auto lru = make_policy(residency_kind::lru, 3);
  const residency_tally seen = run(*lru, trace);
  EXPECT_EQ(seen.lookups_count, 240U);
  EXPECT_EQ(seen.hits_count, 178U);
  EXPECT_EQ(seen.page_ins_count, 62U);
  EXPECT_EQ(seen.evictions_count, 59U);
  EXPECT_GE(best_possible(trace, 3).hit_bytes, seen.hits_count);
}

// Rates by count and by bytes part as soon as sizes differ: here 3 of 4 lookups hit, of 13 bytes 3.
TEST(Residency, counts_and_bytes_are_two_rates) {
  const std::vector<weight_access> step{{0, 1}, {1, 10}, {2, 1}, {3, 1}};
  const auto pin = make_policy(residency_kind::pin, 3);
  run(*pin, step);
  const residency_tally steady = run(*pin, step);
  EXPECT_EQ(steady.hits_count, 3U);
  EXPECT_EQ(steady.lookups_count, 4U);
  EXPECT_EQ(steady.hit_bytes, 3U);
  EXPECT_EQ(steady.lookup_bytes, 13U);
}

TEST(Residency, identities_hold_and_no_policy_beats_the_optimum_on_random_traces) {
  std::mt19937 draw(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<std::uint64_t> sizes(2 + draw() % 9);
    for (auto& each : sizes) each = 1 + draw() % 20;
    std::vector<weight_access> trace(300);
    for (auto& each : trace) {
      each.key = static_cast<weight_key>(draw() % sizes.size());
      each.bytes = sizes[each.key];
    }
    const std::uint64_t budget = draw() % 60;
    const optimum best = best_possible(trace, budget);
    for (const residency_kind kind : {residency_kind::pin, residency_kind::lru}) {
      const auto policy = make_policy(kind, budget);
      const residency_tally t = run(*policy, trace);
      EXPECT_EQ(t.lookups_count, t.hits_count + t.page_ins_count);
      EXPECT_EQ(t.lookup_bytes, t.hit_bytes + t.page_in_bytes);
      EXPECT_EQ(t.admitted_bytes - t.evicted_bytes, policy->resident_bytes());
      EXPECT_EQ(t.admitted_count - t.evictions_count, policy->resident_count());
      EXPECT_LE(policy->resident_bytes(), budget);
      EXPECT_LE(t.hit_bytes, best.hit_bytes) << to_string(kind) << " in round " << round;
    }
  }
}

TEST(Residency, words_are_told_apart) {
  EXPECT_EQ(parse_residency("lru").value(), residency_kind::lru);
  EXPECT_EQ(parse_residency("pin").value(), residency_kind::pin);
  EXPECT_FALSE(parse_residency("mru").has_value());
}

std::uint64_t sum(const std::vector<std::uint64_t>& of) {
  return std::accumulate(of.begin(), of.end(), std::uint64_t{0});
}

TEST(Placement, keeps_what_fits_beside_two_of_the_largest_operator) {
  const std::vector<operator_weights> operators{{0, 1}, {2}, {3}, {4}};
  const std::vector<std::uint64_t> sizes{10, 10, 5, 5, 5};
  EXPECT_EQ(least_budget_bytes(operators, sizes), 30U) << "20 kept whole beside 2 x 5, not 2 x 20";
  EXPECT_FALSE(place(operators, sizes, 29).has_value());
  const auto whole = place(operators, sizes, 34).value();
  EXPECT_EQ(whole.is_resident, (std::vector<bool>{true, true, false, false, false}));
  EXPECT_EQ(whole.resident_bytes, 20U);
  EXPECT_EQ(whole.staging_bytes, 10U);
  const auto all = place(operators, sizes, 35).value();
  EXPECT_EQ(all.resident_bytes, 35U);
  EXPECT_EQ(all.staging_bytes, 0U) << "nothing is streamed";
}

// R <= B - S and R >= B - S - the largest weight, for every budget that holds a step.
TEST(Placement, leaves_less_than_one_weight_of_the_budget_unused) {
  std::mt19937 draw(11);
  for (int round = 0; round < 300; ++round) {
    std::vector<operator_weights> operators(1 + draw() % 12);
    std::vector<std::uint64_t> sizes;
    for (auto& each : operators)
      for (std::size_t i = 0, n = 1 + draw() % 4; i < n; ++i) {
        each.push_back(static_cast<std::uint32_t>(sizes.size()));
        sizes.push_back(64 * (1 + draw() % 50));
      }
    const std::uint64_t least = least_budget_bytes(operators, sizes);
    const std::uint64_t largest = *std::max_element(sizes.begin(), sizes.end());
    EXPECT_FALSE(place(operators, sizes, std::min(least, sum(sizes)) - 1).has_value());
    for (std::uint64_t budget = least; budget < sum(sizes); budget += 64 * (1 + draw() % 40)) {
      const auto at = place(operators, sizes, budget);
      ASSERT_TRUE(at.has_value()) << budget << " of " << sum(sizes);
      EXPECT_LE(at->resident_bytes + at->staging_bytes, budget);
      EXPECT_GE(at->resident_bytes + at->staging_bytes + largest, budget);
      std::uint64_t resident = 0;
      for (const auto& each : operators) {
        std::uint64_t streamed = 0;
        for (const auto weight : each)
          (at->is_resident[weight] ? resident : streamed) += sizes[weight];
        EXPECT_LE(2 * streamed, at->staging_bytes);
      }
      EXPECT_EQ(resident, at->resident_bytes);
    }
  }
}

class Ring : public testing::Test {
 protected:
  // An event per region, recorded: whoever waits for it goes on at once.
  completion end_of(device::event reader) { return proofs_.order(reader, writer_).value(); }
  device::event reader() {
    const device::event made = on_->create_event().value();
    EXPECT_TRUE(on_->record_event(writer_, made).has_value());
    return made;
  }

  std::unique_ptr<device::host_device> on_ = device::host_device::create({mib, 1000, 1}).value();
  device::stream writer_ = on_->create_stream().value();
  completion_source proofs_{*on_};
};

// Against a model that keeps every live region: none may touch another, all lie inside.
TEST_F(Ring, regions_never_overlap_in_any_order_of_sizes) {
  std::mt19937 draw(3);
  const device::event read = reader();
  staging_ring ring(1000);
  std::vector<std::pair<staging_lease, bool>> live;
  for (int i = 0; i < 4000; ++i) {
    auto lease = ring.lease(1 + draw() % 400);
    if (!lease) {
      ASSERT_FALSE(live.empty()) << "an empty ring refused what it has room for";
      ring.give_back(std::move(live.front().first), end_of(read));
      live.erase(live.begin());
      continue;
    }
    EXPECT_LE(lease->offset_bytes() + lease->bytes(), 1000U);
    for (const auto& [other, unused] : live)
      EXPECT_TRUE(lease->offset_bytes() + lease->bytes() <= other.offset_bytes() ||
                  other.offset_bytes() + other.bytes() <= lease->offset_bytes());
    lease->read_until(read);
    live.emplace_back(std::move(*lease), true);
    std::uint64_t bytes = 0;
    for (const auto& [each, unused] : live) bytes += each.bytes();
    EXPECT_EQ(ring.leased_bytes(), bytes);
  }
}

TEST_F(Ring, holds_one_region_of_its_whole_size_and_no_larger) {
  staging_ring ring(64);
  EXPECT_FALSE(ring.lease(65).has_value());
  EXPECT_TRUE(ring.lease(64).has_value());
  EXPECT_FALSE(ring.lease(1).has_value());
}

TEST_F(Ring, what_a_failure_left_is_handed_out_again_only_when_the_device_is_done) {
  staging_ring ring(64);
  ring.quarantine(std::move(*ring.lease(40)));
  EXPECT_EQ(ring.quarantined_bytes(), 40U);
  EXPECT_FALSE(ring.lease(40).has_value());
  ring.clear(proofs_.wait(writer_, writer_).value());
  EXPECT_EQ(ring.quarantined_bytes(), 0U);
  EXPECT_TRUE(ring.lease(64).has_value());
}

TEST_F(Ring, the_end_of_another_reader_is_no_proof) {
  staging_ring ring(64);
  auto lease = ring.lease(64);
  lease->read_until(reader());
  const device::event other = reader();
  EXPECT_DEATH(ring.give_back(std::move(*lease), end_of(other)), "another reader");
}

std::uint64_t bytes_of(std::string_view text, std::uint64_t total_bytes) {
  return vram_limit::parse(text).value().bytes_of(total_bytes).value();
}

TEST(Limit, bytes_fractions_and_auto_are_told_apart) {
  EXPECT_EQ(bytes_of("1.5MiB", 8 * mib), 3 * mib / 2);
  EXPECT_EQ(bytes_of("6GiB", 80ULL << 30), 6ULL << 30);
  EXPECT_EQ(bytes_of("2MB", 8 * mib), 2'000'000U);
  EXPECT_EQ(bytes_of("0.5", 8 * mib), 4 * mib);
  EXPECT_EQ(bytes_of(".25", 8 * mib), 2 * mib);
  EXPECT_EQ(bytes_of("1", 8 * mib), 8 * mib);
  EXPECT_EQ(bytes_of("1.0", 8 * mib), 8 * mib);
  EXPECT_EQ(bytes_of("auto", 10'000'000), 9'000'000U);
  EXPECT_EQ(bytes_of("8MiB", 8 * mib), 8 * mib);
}

TEST(Limit, fraction_of_less_than_a_byte_is_refused) {
  const auto got = vram_limit::parse("0.0000000001").value().bytes_of(std::uint64_t{1} << 30);
  ASSERT_FALSE(got.has_value());
  EXPECT_EQ(got.error().kind, error_kind::usage);
  EXPECT_NE(got.error().message.find("less than a byte"), std::string::npos);
}

// Each is one that some parser of another tool takes for something else.
TEST(Limit, traps_are_refused_in_one_line_that_says_what_is_wrong) {
  const std::vector<std::pair<std::string, std::string>> traps{
      {"", "no number"},
      {"0", "nothing"},
      {"0GiB", "nothing"},
      {"0.0", "nothing"},
      {"-1GiB", "negative"},
      {"-0.5", "negative"},
      {"6", "no unit"},
      {"1.01", "no unit"},
      {"6000000000", "no unit"},
      {"6 GiB", "has a unit that is none"},
      {"6G", "unit"},
      {"6gib", "unit"},
      {"50%", "unit"},
      {"1e9", "unit"},
      {"GiB", "no number"},
      {"nan", "no number"},
      {"inf", "no number"},
      {"auto ", "no number"},
      {"AUTO", "no number"},
      {"0x10MiB", "nothing"},
      {"9999999TiB", "any device"},
      {"0.1B", "less than a byte"},
      {"+1GiB", "no number"},
  };
  for (const auto& [text, part] : traps) {
    const auto got = vram_limit::parse(text);
    ASSERT_FALSE(got.has_value()) << text;
    EXPECT_EQ(got.error().kind, error_kind::usage);
    EXPECT_NE(got.error().message.find(part), std::string::npos)
        << text << ": " << got.error().message;
    EXPECT_EQ(got.error().message.find('\n'), std::string::npos);
  }
}

TEST(Limit, more_than_the_device_has_is_refused_with_both_figures) {
  const auto got = vram_limit::parse("9MiB").value().bytes_of(8 * mib);
  ASSERT_FALSE(got.has_value());
  EXPECT_NE(got.error().message.find("9437184 bytes are more than the device's 8388608"),
            std::string::npos);
}

}  // namespace
}  // namespace assay::memory
