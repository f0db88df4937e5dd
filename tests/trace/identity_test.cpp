// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this an equation could be taken for words, and its counters would never be balanced.
#include "probes/trace/identity.h"
#include "probes/trace/formula.h"

#include <gtest/gtest.h>

#include "probes/trace/contract_json.h"
#include "runtime/telemetry/catalog.h"

namespace assay::trace {
namespace {

using terms = std::vector<identity_term>;

TEST(Identity, puts_the_right_side_and_what_is_subtracted_with_a_minus) {
  const auto parsed = parse_identity("a.b.c_count - a.b.d_count = a.b.e_count + a.b.f_count");
  ASSERT_TRUE(parsed);
  EXPECT_EQ(
      parsed->terms,
      (terms{{"a.b.c_count", 1}, {"a.b.d_count", -1}, {"a.b.e_count", -1}, {"a.b.f_count", -1}}));
  EXPECT_EQ(parsed->constant, 0);
  EXPECT_FALSE(parsed->is_at_most);
  EXPECT_FALSE(parsed->is_each_pass);
}

TEST(Identity, takes_numbers_bounds_and_the_pass) {
  const auto bound = parse_identity("a.b.c_count + 2 <= a.b.d_count - 1 at each pass");
  ASSERT_TRUE(bound);
  EXPECT_EQ(bound->terms, (terms{{"a.b.c_count", 1}, {"a.b.d_count", -1}}));
  EXPECT_EQ(bound->constant, 3);
  EXPECT_TRUE(bound->is_at_most);
  EXPECT_TRUE(bound->is_each_pass);
}

TEST(Identity, leaves_words_to_people) {
  for (const char* words :
       {"", "none: a sum", "none: one = one", "a.b.c_count", "a.b.c_count = ", "= a.b.c_count",
        "a.b.c_count = a.b.d_count = a.b.e_count", "a.b.c_count == a.b.d_count", "1 = 1",
        "a.b.c_count = -1", "a.b.c_count = 99999999999999999999", "a.b.c_count + a.b.d_count",
        "a.b.c_count = hits", "a.b.c_count=a.b.d_count", "a.b.c_count = a.b.d_count on Sundays"})
    EXPECT_FALSE(parse_identity(words)) << words;
}

// A name that nobody has, or a row that says an equation of others, would go unread.
TEST(Identity, of_the_catalog_is_an_equation_with_its_own_counter_or_says_none) {
  for (const contract_row& row : catalog_rows()) {
    if (row.identity.starts_with("none: ")) continue;
    if (const auto formula = parse_formula(row.identity)) {
      EXPECT_EQ(formula->result, row.name);
      for (const auto* sum : {&formula->part, &formula->whole})
        for (const std::string& part : *sum) EXPECT_TRUE(telemetry::find_counter(part)) << part;
      continue;
    }
    const auto parsed = parse_identity(row.identity);
    ASSERT_TRUE(parsed) << row.identity;
    bool is_member = false;
    for (const identity_term& term : parsed->terms) {
      EXPECT_TRUE(telemetry::find_counter(term.counter)) << term.counter;
      is_member = is_member || term.counter == row.name;
    }
    EXPECT_TRUE(is_member) << row.name << " is not part of its identity";
  }
}

TEST(Formula, is_one_sum_over_another_or_shares_of_one) {
  const auto ratio = parse_formula("a.b.c_ratio = a.b.d_count / a.b.d_count + a.b.e_count");
  ASSERT_TRUE(ratio);
  EXPECT_EQ(*ratio, (formula{"a.b.c_ratio", {"a.b.d_count"}, {"a.b.d_count", "a.b.e_count"}}));
  const auto shares = parse_formula("a.b.c_ratio + a.b.d_ratio = 1");
  ASSERT_TRUE(shares);
  EXPECT_EQ(*shares, (formula{"", {"a.b.c_ratio", "a.b.d_ratio"}, {}}));
}

TEST(Formula, that_is_none_is_words_for_people) {
  for (const char* words :
       {"", "none: a quotient", "a.b.c_ratio", "a.b.c_ratio = a.b.d_count", "a.b.c_ratio = 1",
        "a.b.c_ratio = a.b.d_count /", "a.b.c_ratio = a.b.d_count / a.b.e_count / a.b.f_count",
        "a.b.c_ratio + a.b.d_ratio = 2", "a.b.c_ratio + a.b.d_ratio = a.b.e_count / a.b.f_count",
        "a.b.c_ratio = / a.b.e_count", "a.b.c_ratio = a.b.d_count - a.b.e_count / a.b.f_count"})
    EXPECT_FALSE(parse_formula(words)) << words;
}

}  // namespace
}  // namespace assay::trace
