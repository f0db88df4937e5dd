// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this, a program could read 0 where nothing was measured, lose the low digits of a byte
// count, or meet keys in another order each time.
#include "reports/json/audit_json.h"

#include <cstdint>
#include <limits>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/reports/sample_report.h"

namespace assay::reports {
namespace {

nlohmann::json parsed(const model::audit_report& report) {
  return nlohmann::json::parse(audit_as_json(report, model::outcome_of(report)));
}

TEST(Json, carries_the_word_of_the_exit_code) {
  const auto found = parsed(sample_report());
  EXPECT_EQ(found["outcome"], "found");
  EXPECT_EQ(found["exit_code"], 1);
  const auto clean = parsed(clean_report());
  EXPECT_EQ(clean["outcome"], "clean");
  EXPECT_EQ(clean["exit_code"], 0);
}

// Of a time, R02 and R03 claim the rate that it amounts to: read as ns it would be nonsense.
TEST(Json, a_finding_says_what_its_figures_are_counted_in) {
  const auto findings = parsed(sample_report())["findings"];
  EXPECT_EQ(findings[0]["unit"], "ns");  // its subject's
  EXPECT_EQ(findings[1]["subject"], findings[0]["subject"]);
  EXPECT_EQ(findings[1]["unit"], "bytes_per_s");  // its own
  EXPECT_EQ(findings[3]["unit"], "");             // no counter, no figure
}

TEST(Json, a_reference_stands_beside_what_was_claimed_where_it_compared) {
  const auto line = parsed(sample_report())["counters"][1];
  EXPECT_EQ(line["claimed"]["value"], 38'200);
  EXPECT_EQ(line["references"][0]["claimed"]["value"], 37'900);
}

TEST(Json, an_absent_number_has_a_reason_and_no_value) {
  const auto claimed = parsed(sample_report())["counters"][4]["claimed"];
  EXPECT_FALSE(claimed.contains("value"));
  EXPECT_EQ(claimed["absence"], "not applicable: greedy decoding draws no random number");
}

TEST(Json, an_unknown_ceiling_is_not_a_ceiling_of_zero) {
  const auto hard = parsed(sample_report())["ceilings"][0]["hard_bytes_per_s"];
  EXPECT_FALSE(hard.contains("value"));
  EXPECT_EQ(hard["absence"], "no physical bound is known here");
}

TEST(Json, an_integer_keeps_all_its_digits) {
  auto report = clean_report();
  report.counters[0].claimed = number(std::numeric_limits<std::int64_t>::max() - 1);
  EXPECT_EQ(parsed(report)["counters"][0]["claimed"]["value"].get<std::int64_t>(),
            std::numeric_limits<std::int64_t>::max() - 1);
}

TEST(Json, a_number_that_is_not_finite_is_absent) {
  auto report = clean_report();
  report.counters[0].claimed = real(std::numeric_limits<double>::infinity());
  EXPECT_EQ(parsed(report)["counters"][0]["claimed"],
            nlohmann::json({{"absence", "not a finite number"}}));
}

TEST(Json, a_reference_that_compared_nothing_or_is_void_does_not_say_that_it_holds) {
  const auto counters = parsed(sample_report())["counters"];
  EXPECT_TRUE(counters[0]["references"][0]["holds"].get<bool>());
  EXPECT_FALSE(counters[1]["references"][1].contains("holds"));
  EXPECT_FALSE(counters[2]["references"][0].contains("holds"));
}

TEST(Json, text_that_is_not_utf8_does_not_stop_the_report) {
  auto report = clean_report();
  report.counters[0].name = "broken \xff name";
  EXPECT_EQ(parsed(report)["counters"][0]["name"], "broken \xEF\xBF\xBD name");
}

TEST(Json, the_same_report_gives_the_same_bytes) {
  const auto report = sample_report();
  EXPECT_EQ(audit_as_json(report, model::outcome::found),
            audit_as_json(sample_report(), model::outcome::found));
}

}  // namespace
}  // namespace assay::reports
