// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this, a value that was lost could enter arithmetic as 0.
#include "runtime/telemetry/reading.h"

#include <bit>
#include <cstdint>

#include <gtest/gtest.h>

namespace assay::telemetry {
namespace {

TEST(Reading, is_never_written_until_somebody_writes) {
  const reading r;
  EXPECT_EQ(r.state, reading_state::never_written);
  EXPECT_FALSE(r.has_value());
}

TEST(Reading, has_a_number_in_three_of_its_states_only) {
  const auto has = [](reading_state state) { return reading{state, 0, {}}.has_value(); };
  EXPECT_TRUE(has(reading_state::measured));
  EXPECT_TRUE(has(reading_state::zero));
  EXPECT_TRUE(has(reading_state::lower_bound));
  EXPECT_FALSE(has(reading_state::never_written));
  EXPECT_FALSE(has(reading_state::not_applicable));
  EXPECT_FALSE(has(reading_state::lost));
}

TEST(Reading, every_state_has_a_spelling_of_its_own) {
  for (int a = 0; a < 6; ++a) {
    EXPECT_NE(to_string(static_cast<reading_state>(a)), "?");
    for (int b = a + 1; b < 6; ++b)
      EXPECT_NE(to_string(static_cast<reading_state>(a)), to_string(static_cast<reading_state>(b)));
  }
}

TEST(Reading, its_bits_are_read_as_the_unit_says) {
  const reading real{reading_state::measured, std::bit_cast<std::int64_t>(0.25), {}};
  EXPECT_EQ(real.as_double(unit::ratio), 0.25);
  const reading whole{reading_state::measured, -17, {}};
  EXPECT_EQ(whole.as_double(unit::ns), -17.0);
  EXPECT_EQ(whole.integer(), -17);
}

}  // namespace
}  // namespace assay::telemetry
