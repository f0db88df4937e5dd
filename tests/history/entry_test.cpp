// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this file two different results could pass for one, or one for two.
#include <limits>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "harness/history/entry_json.h"
#include "harness/history/entry_key.h"
#include "harness/history/entry_of.h"
#include "tests/history/places.h"

namespace assay::history {
namespace {

TEST(Key, is_of_the_content_and_of_all_of_it) {
  const entry first = history_test::numbered_entry(1, 2);
  EXPECT_EQ(key_of(first), key_of(history_test::numbered_entry(1, 2)));
  EXPECT_EQ(key_of(first).size(), 64U);
  const auto differs = [&](auto change) {
    entry other = first;
    change(other);
    return key_of(other) != key_of(first);
  };
  EXPECT_TRUE(differs([](entry& e) { e.verb = "compare"; }));
  EXPECT_TRUE(differs([](entry& e) { e.outcome = "found"; }));
  EXPECT_TRUE(differs([](entry& e) { e.commit = "x"; }));
  EXPECT_TRUE(differs([](entry& e) { e.facts[0].value = "x"; }));
  EXPECT_TRUE(differs([](entry& e) { e.measures[0].value = 3.0; }));
  EXPECT_TRUE(differs([](entry& e) { e.measures[0].unit = "ns"; }));
  EXPECT_TRUE(differs([](entry& e) { e.measures[0].state = "disagree"; }));
  EXPECT_TRUE(differs([](entry& e) { e.measures[2].absence = "lost"; }));
  EXPECT_TRUE(differs([](entry& e) { e.measures[2].value = 0.0; }));
  EXPECT_TRUE(differs([](entry& e) { std::swap(e.measures[0], e.measures[1]); }));
}

TEST(Key, tells_where_one_text_ends_and_the_next_begins) {
  entry one;
  entry other;
  one.facts.push_back({"ab", "c"});
  other.facts.push_back({"a", "bc"});
  EXPECT_NE(key_of(one), key_of(other));
}

TEST(Key, is_the_digest_that_another_program_computes) {
  // printf of eight-byte lengths and texts | sha256sum, for an entry of empty texts and no parts:
  // five zero words.
  EXPECT_EQ(key_of(entry{}), "2c34ce1df23b838c5abf2a7f6437cca3d3067ed509ff25f11df6b11b582b51eb");
}

TEST(EntryOf, an_audit_keeps_absences_as_what_they_are) {
  model::audit_report report;
  model::counter_line measured;
  measured.name = "runtime.step.count";
  measured.unit = "count";
  measured.claimed.is_present = true;
  measured.claimed.integer = 7;
  measured.verdict = model::verdict::agree;
  model::counter_line lost;
  lost.name = "runtime.other.ns";
  lost.claimed.absence = "lost";
  model::counter_line odd;
  odd.name = "runtime.odd.ratio";
  odd.claimed.is_present = odd.claimed.is_real = true;
  odd.claimed.real = std::numeric_limits<double>::quiet_NaN();
  report.counters = {measured, lost, odd};
  const entry made = entry_of(report, model::outcome::found, "abc");
  EXPECT_EQ(made.outcome, "found");
  EXPECT_EQ(made.commit, "abc");
  ASSERT_EQ(made.measures.size(), 3U);
  EXPECT_EQ(made.measures[0].value, 7.0);
  EXPECT_EQ(made.measures[0].state, "agree");
  EXPECT_FALSE(made.measures[1].value);
  EXPECT_EQ(made.measures[1].absence, "lost");
  EXPECT_FALSE(made.measures[2].value);
  EXPECT_EQ(made.measures[2].absence, "not a finite number");
}

TEST(JsonLine, is_one_line_whatever_the_names_say) {
  kept_entry kept{"k", 5, history_test::numbered_entry(1, 1)};
  kept.entry.measures[0].name = "line\nbreak \"quoted\" \xff";
  const std::string line = as_json_line(kept);
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  const auto read = nlohmann::json::parse(line);
  EXPECT_EQ(read["measures"][0]["name"], "line\nbreak \"quoted\" \xef\xbf\xbd");
  EXPECT_EQ(read["measures"][2].count("value"), 0U);
  EXPECT_EQ(read["measures"][2]["absence"], "not measured");
}

TEST(EntryOf, a_report_keeps_a_steps_parts_and_why_a_number_is_not_there) {
  model::investigation found;
  found.decode.passes = 4;
  found.decode.wall_ns = 4'000;
  found.decode.parts = {2'000, 400};
  found.decode.residual_ns = 1'600;
  found.latencies = {{"ITL", 0, 0, 0, 0, 0, 0, "no two tokens"}};
  found.tokens_per_s.absence = "no two tokens";
  const entry kept = entry_of(found, model::outcome::clean, "c1");
  EXPECT_EQ(kept.verb, "report");
  EXPECT_EQ(kept.commit, "c1");
  const auto value = [&](const std::string& name) {
    for (const measure& each : kept.measures)
      if (each.name == name) return each.value.value_or(-1.0);
    return -2.0;
  };
  EXPECT_EQ(value("decode step: wall"), 1'000.0);
  EXPECT_EQ(value("decode step: compute"), 500.0);
  EXPECT_EQ(value("decode step: h2d"), 100.0);
  EXPECT_EQ(value("decode step: residual"), 400.0);
  EXPECT_EQ(value("decode speed"), -1.0);
  for (const measure& each : kept.measures)
    EXPECT_NE(each.value.has_value(), !each.absence.empty()) << each.name;
}

}  // namespace
}  // namespace assay::history
