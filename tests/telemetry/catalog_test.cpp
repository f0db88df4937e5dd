// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this, a row could claim bytes in ns, or name in its identity a counter that was renamed.
#include "runtime/telemetry/catalog.h"

#include <set>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

namespace assay::telemetry {
namespace {

std::string name_of(const counter_contract& row) {
  return std::string(row.name.value);
}

unit unit_of(measure m) {
  switch (m) {
    case measure::bytes:
    case measure::weight_bytes:
    case measure::kv_bytes:
    case measure::live_bytes:
    case measure::peak_bytes:
      return unit::bytes;
    case measure::span:
    case measure::brackets:
      return unit::ns;
    case measure::none:
    case measure::operations:
    case measure::allocations:
    case measure::frees:
    case measure::sync_calls:
    case measure::calls:
      return unit::count;
  }
  return unit::count;
}

TEST(Catalog, has_the_counters_that_an_audit_needs) {
  EXPECT_GE(counter_total, 40);
  EXPECT_EQ(catalog().size(), static_cast<std::size_t>(counter_total));
}

TEST(Catalog, finds_each_row_by_its_name_and_nothing_else) {
  for (int i = 0; i < counter_total; ++i) {
    const auto id = static_cast<counter_id>(i);
    EXPECT_EQ(find_counter(contract_of(id).name.value), id);
  }
  EXPECT_FALSE(find_counter("runtime.weights.h2d").has_value());
  EXPECT_FALSE(find_counter("").has_value());
}

TEST(Catalog, every_name_is_of_the_runtime_and_stands_once) {
  std::set<std::string> names;
  for (const auto& row : catalog()) {
    EXPECT_TRUE(name_of(row).starts_with("runtime.")) << name_of(row);
    EXPECT_TRUE(names.insert(name_of(row)).second) << name_of(row);
  }
}

TEST(Catalog, every_field_has_a_spelling) {
  for (const auto& row : catalog()) {
    SCOPED_TRACE(name_of(row));
    const claim& claims = row.claims;
    for (const std::string_view word :
         {to_string(row.unit.value), to_string(row.kind.value), to_string(row.clock.value),
          to_string(row.blocks_host.value), to_string(row.reset.value), to_string(claims.kind),
          to_string(claims.dir), to_string(claims.range), to_string(claims.measure),
          to_string(row.pairs_with.value.link)})
      EXPECT_NE(word, "?");
  }
}

TEST(Catalog, a_claim_measures_in_the_counters_unit) {
  for (const auto& row : catalog()) {
    const claim& claims = row.claims;
    // A rate is judged by its quotient, whose numerator the claim names.
    if (claims.measure == measure::none || row.kind.value == counter_kind::rate) continue;
    EXPECT_EQ(unit_of(claims.measure), row.unit.value) << name_of(row);
    EXPECT_NE(claims.kind, activity::none) << name_of(row);
    EXPECT_NE(claims.range, range::sentinel) << name_of(row) << ": no counter claims a sentinel";
  }
}

TEST(Catalog, a_duration_pairs_with_bytes_over_a_link) {
  for (const auto& row : catalog()) {
    const pairing& pairs = row.pairs_with;
    if (pairs.bytes_counter.empty()) {
      EXPECT_FALSE(pairs.reason.empty()) << name_of(row);
      continue;
    }
    const auto partner = find_counter(pairs.bytes_counter);
    ASSERT_TRUE(partner.has_value()) << name_of(row);
    EXPECT_EQ(contract_of(*partner).unit.value, unit::bytes) << name_of(row);
    EXPECT_NE(pairs.link, link_class::none) << name_of(row);
  }
}

TEST(Catalog, kinds_and_units_go_together) {
  for (const auto& row : catalog()) {
    SCOPED_TRACE(name_of(row));
    EXPECT_EQ(row.kind.value == counter_kind::duration, row.unit.value == unit::ns);
    EXPECT_EQ(row.kind.value == counter_kind::rate || row.kind.value == counter_kind::ratio,
              is_real(row.unit));
    const bool is_level =
        row.kind.value == counter_kind::gauge || row.kind.value == counter_kind::peak;
    EXPECT_TRUE(!is_level || row.reset.value == reset_scope::never) << "a level has no start";
  }
}

// The words of an identity that look like a counter's name.
std::set<std::string> counters_named_in(std::string_view identity) {
  std::set<std::string> named;
  std::istringstream words{std::string(identity)};
  for (std::string word; words >> word;)
    if (word.starts_with("runtime.")) named.insert(word);
  return named;
}

TEST(Catalog, an_identity_names_counters_that_exist_or_says_why_there_is_none) {
  for (const auto& row : catalog()) {
    const std::string_view identity = row.identity.value;
    if (identity.starts_with("none: ")) continue;
    const auto named = counters_named_in(identity);
    for (const auto& name : named)
      EXPECT_TRUE(find_counter(name).has_value()) << name << " in the identity " << identity;
    EXPECT_GE(named.size(), 2u) << identity;
    EXPECT_TRUE(named.contains(name_of(row))) << name_of(row) << " is not part of its identity";
  }
}

}  // namespace
}  // namespace assay::telemetry
