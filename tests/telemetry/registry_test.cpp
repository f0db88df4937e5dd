// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this, a counter that nobody wrote could read as a measured zero, and a request could
// inherit the counts of the one before.
#include "runtime/telemetry/registry.h"

#include <cstdint>
#include <memory>

#include <gtest/gtest.h>

namespace assay::telemetry {
namespace {

constexpr auto per_process = counter_id::weights_h2d_bytes;
constexpr auto per_request = counter_id::kv_append_bytes;
constexpr auto level = counter_id::arena_live_bytes;
constexpr auto peak = counter_id::arena_peak_bytes;
constexpr auto rate = counter_id::engine_decode_tokens_per_s;

class Registry : public ::testing::Test {
 protected:
  registry counters;
};

TEST_F(Registry, starts_with_every_counter_never_written) {
  for (const reading& r : counters.read_all()) {
    EXPECT_EQ(r.state, reading_state::never_written);
    EXPECT_FALSE(r.has_value());
  }
}

TEST_F(Registry, tells_a_zero_that_was_measured_from_one_that_nobody_wrote) {
  counters.add(per_process, 0);
  counters.set_real(rate, 0.0);
  EXPECT_EQ(counters.read(per_process).state, reading_state::zero);
  EXPECT_EQ(counters.read(rate).state, reading_state::zero);
  EXPECT_EQ(counters.read(level).state, reading_state::never_written);
}

TEST_F(Registry, a_negative_zero_is_a_zero) {
  counters.set_real(rate, -0.0);
  EXPECT_EQ(counters.read(rate).state, reading_state::zero);
}

TEST_F(Registry, adds_up) {
  counters.add(per_process, 40);
  counters.add(per_process, 2);
  EXPECT_EQ(counters.read(per_process).state, reading_state::measured);
  EXPECT_EQ(counters.read(per_process).integer(), 42);
}

TEST_F(Registry, a_time_that_went_back_stays_negative) {
  counters.add(counter_id::weights_h2d_ns, -17);
  EXPECT_EQ(counters.read(counter_id::weights_h2d_ns).integer(), -17);
  EXPECT_EQ(counters.read(counter_id::weights_h2d_ns).state, reading_state::measured);
}

TEST_F(Registry, sets_levels_and_reals) {
  counters.set(level, 7);
  counters.set(level, 5);
  counters.set_real(rate, 2113.25);
  EXPECT_EQ(counters.read(level).integer(), 5);
  EXPECT_EQ(counters.read(rate).real(), 2113.25);
}

TEST_F(Registry, a_peak_only_rises) {
  counters.raise(peak, 5);
  counters.raise(peak, 9);
  counters.raise(peak, 7);
  EXPECT_EQ(counters.read(peak).integer(), 9);
}

TEST_F(Registry, not_applicable_carries_its_reason_and_no_number) {
  counters.mark_not_applicable(per_request, "this model has no cache");
  const reading r = counters.read(per_request);
  EXPECT_EQ(r.state, reading_state::not_applicable);
  EXPECT_EQ(r.reason, "this model has no cache");
  EXPECT_FALSE(r.has_value());
}

TEST_F(Registry, one_write_touches_one_counter) {
  counters.add(per_process, 1);
  const snapshot all = counters.read_all();
  for (int i = 0; i < counter_total; ++i)
    EXPECT_EQ(all[static_cast<std::size_t>(i)].has_value(),
              static_cast<counter_id>(i) == per_process);
}

TEST_F(Registry, a_request_starts_its_own_counters_again_and_no_others) {
  for (int i = 0; i < counter_total; ++i) counters.set(static_cast<counter_id>(i), 1'000 + i);
  counters.begin_request();
  for (int i = 0; i < counter_total; ++i) {
    const auto id = static_cast<counter_id>(i);
    const reading r = counters.read(id);
    const bool starts_again = contract_of(id).reset.value == reset_scope::per_request;
    EXPECT_EQ(r.has_value(), !starts_again) << contract_of(id).name.value;
    EXPECT_EQ(r.bits, starts_again ? 0 : 1'000 + i) << contract_of(id).name.value;
  }
}

TEST_F(Registry, counts_from_zero_after_a_request_began) {
  counters.add(per_request, 100);
  counters.begin_request();
  counters.add(per_request, 3);
  EXPECT_EQ(counters.read(per_request).integer(), 3);
}

TEST_F(Registry, two_registries_do_not_share) {
  const auto other = std::make_unique<registry>();
  counters.add(per_process, 1);
  EXPECT_EQ(other->read(per_process).state, reading_state::never_written);
}

}  // namespace
}  // namespace assay::telemetry
