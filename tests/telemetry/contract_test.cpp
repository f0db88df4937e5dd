// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this, the rules of a name could refuse names that are right; compile_fail/ shows that
// they refuse those that are wrong.
#include "runtime/telemetry/contract.h"

#include <string>

#include <gtest/gtest.h>

namespace assay::telemetry {
namespace {

TEST(Contract, a_name_has_three_parts_of_lower_case_words) {
  using contract_rules::well_formed;
  EXPECT_TRUE(well_formed("runtime.weights.h2d_bytes"));
  EXPECT_TRUE(well_formed("a.b.c"));
  for (const char* wrong :
       {"", "a", "a.b", "a.b.c.d", ".a.b", "a.b.", "a..b", "a.B.c", "a.b.c-d", "a. b.c", "a.b.µs"})
    EXPECT_FALSE(well_formed(wrong)) << wrong;
}

TEST(Contract, a_unit_is_a_word_of_its_own_at_the_end_of_a_name) {
  using contract_rules::ends_in_unit;
  EXPECT_TRUE(ends_in_unit("runtime.weights.h2d_ns", "ns"));
  EXPECT_FALSE(ends_in_unit("runtime.weights.columns", "ns"));
  EXPECT_FALSE(ends_in_unit("ns", "ns"));
  EXPECT_FALSE(ends_in_unit("_ns", "ns"));
}

TEST(Contract, every_unit_has_a_spelling_of_its_own) {
  for (int a = 0; a < unit_count; ++a) {
    EXPECT_NE(to_string(static_cast<unit>(a)), "?");
    for (int b = a + 1; b < unit_count; ++b)
      EXPECT_NE(to_string(static_cast<unit>(a)), to_string(static_cast<unit>(b)));
  }
  EXPECT_EQ(to_string(static_cast<unit>(unit_count)), "?") << "unit_count lags behind the units";
}

TEST(Contract, every_range_has_a_spelling_of_its_own) {
  for (int a = 0; a < range_count; ++a) {
    EXPECT_NE(to_string(static_cast<range>(a)), "?");
    for (int b = a + 1; b < range_count; ++b)
      EXPECT_NE(to_string(static_cast<range>(a)), to_string(static_cast<range>(b)));
  }
  EXPECT_EQ(to_string(static_cast<range>(range_count)), "?") << "range_count lags behind";
}

}  // namespace
}  // namespace assay::telemetry
