// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this, a row could be measured by no shard, a missing shard pass unseen, or a flag that
// was not uploaded count as 0.
#include <set>

#include <gmock/gmock.h>

#include "harness/compare/coverage_change.h"
#include "harness/compare/merged_run.h"
#include "harness/compare/paired_rows.h"
#include "harness/compare/run_report.h"

namespace assay::compare {
namespace {

using testing::HasSubstr;

std::vector<run_subject> subjects(std::size_t count) {
  std::vector<run_subject> all;
  for (std::size_t i = 0; i < count; ++i)
    all.push_back({"row " + std::to_string(i), "real_time", {"base"}, {"head"}});
  return all;
}

TEST(Shard, every_row_is_in_exactly_one) {
  for (std::uint32_t count = 1; count <= 7; ++count) {
    std::multiset<std::string> seen;
    for (std::uint32_t number = 1; number <= count; ++number) {
      const auto taken = subjects_of({number, count}, subjects(17));
      ASSERT_TRUE(taken);
      for (const auto& each : *taken) seen.insert(each.name);
    }
    EXPECT_EQ(seen.size(), 17U);
    EXPECT_EQ(std::set<std::string>(seen.begin(), seen.end()).size(), 17U);
  }
  EXPECT_FALSE(subjects_of({3, 3}, subjects(2)));
}

TEST(Shard, is_read_or_refused) {
  EXPECT_EQ(parse_shard("--shard", "2/3")->number, 2U);
  for (const char* text : {"", "2", "0/3", "4/3", "2/0", "-1/3", "1/3x", "1/9999", "a/b"})
    EXPECT_FALSE(parse_shard("--shard", text)) << text;
}

process_record record(side s, std::uint32_t slot, double value) {
  process_record out;
  out.place = {0, s, 0, slot};
  model::sample_row row;
  row.metric = "real_time";
  row.unit = "ns";
  row.better = model::direction::lower_is_better;
  row.process_values = {value};
  out.rows = {row};
  return out;
}

run_log shard_log(std::uint32_t number, std::uint32_t count, double head) {
  run_log log;
  log.is_complete = true;
  log.facts = {shard_fact({number, count}),
               {"base commit", "abc"},
               {"host", "same"},
               {"load", std::to_string(number)}};
  log.subjects = {{"row " + std::to_string(number), "real_time", {"base"}, {"head"}},
                  {"control", "real_time", {"base"}, {"head"}, true}};
  for (std::uint32_t subject = 0; subject < 2; ++subject)
    for (process_record each : {record(side::base, 0, 100), record(side::head, 1, head)}) {
      each.place.subject = subject;
      each.rows[0].name = log.subjects[subject].name;
      log.records.push_back(each);
    }
  return log;
}

TEST(Merge, shards_become_one_run) {
  const auto merged = merge_runs({{"b", shard_log(2, 2, 120)}, {"a", shard_log(1, 2, 110)}});
  ASSERT_TRUE(merged) << merged.error().message;
  EXPECT_TRUE(merged->is_complete);
  const auto rows = paired_rows(*merged);
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows[0].name, "row 2");
  EXPECT_EQ(rows[0].screen.at(0).head, 120.0);
  EXPECT_EQ(rows[1].name, "control, shard 2");
  EXPECT_EQ(rows[2].screen.at(0).head, 110.0);
  const auto report = report_of(*merged);
  EXPECT_EQ(report.rows.size(), 2U);
  std::multiset<std::string> facts;
  for (const auto& fact : merged->facts) facts.insert(fact.name);
  EXPECT_EQ(facts.count("host"), 1U);
  EXPECT_EQ(facts.count("load, shard 1") + facts.count("load, shard 2"), 2U);
}

std::string said(const std::vector<std::pair<std::string, run_log>>& logs) {
  const auto merged = merge_runs(logs);
  return merged ? std::string("taken") : merged.error().message;
}

TEST(Merge, missing_foreign_and_doubled_shards_are_told) {
  const auto missing = merge_runs({{"a", shard_log(1, 3, 110)}});
  ASSERT_TRUE(missing);
  EXPECT_FALSE(missing->is_complete);
  EXPECT_EQ(missing->incompleteness, "shard 2 of 3 is missing; shard 3 of 3 is missing");
  EXPECT_THAT(said({{"a", shard_log(1, 2, 1)}, {"b", shard_log(1, 2, 1)}}),
              HasSubstr("b: is shard 1"));
  EXPECT_THAT(said({{"a", shard_log(1, 2, 1)}, {"b", shard_log(2, 3, 1)}}),
              HasSubstr("b: is a shard of another run"));
  run_log other = shard_log(2, 2, 1);
  other.facts[1].value = "def";
  EXPECT_THAT(said({{"a", shard_log(1, 2, 1)}, {"b", other}}), HasSubstr("of another run"));
  // Parts of two lists: a row could be in both, or in neither.
  other = shard_log(2, 2, 1);
  run_log first = shard_log(1, 2, 1);
  first.facts.push_back(rows_fact(first.subjects));
  other.facts.push_back(rows_fact(other.subjects));
  EXPECT_THAT(said({{"a", first}, {"b", other}}), HasSubstr("of another run"));
  // Measured with other bytes: a rebuild between two shards.
  for (const char* name : {base_digest_name, head_digest_name, "base command"}) {
    first = shard_log(1, 2, 1);
    other = shard_log(2, 2, 1);
    first.facts.push_back({name, "1"});
    other.facts.push_back({name, "2"});
    EXPECT_THAT(said({{"a", first}, {"b", other}}), HasSubstr("of another run")) << name;
    other.facts.back().value = "1";
    EXPECT_EQ(said({{"a", first}, {"b", other}}), "taken") << name;
  }
  other = shard_log(2, 2, 1);
  other.subjects[0].name = "row 1";
  EXPECT_THAT(said({{"a", shard_log(1, 2, 1)}, {"b", other}}),
              HasSubstr("b: has the row row 1, which a has measured"));
  other = shard_log(2, 2, 1);
  other.rules.threshold_ratio = 0.5;
  EXPECT_THAT(said({{"a", shard_log(1, 2, 1)}, {"b", other}}), HasSubstr("of another run"));
  other.facts.erase(other.facts.begin());
  EXPECT_THAT(said({{"b", other}}), HasSubstr("b: is no shard"));
  EXPECT_THAT(said({}), HasSubstr("no logs"));
  run_log stopped = shard_log(2, 2, 1);
  stopped.is_complete = false;
  stopped.incompleteness = "interrupted";
  EXPECT_FALSE(merge_runs({{"a", shard_log(1, 2, 1)}, {"b", stopped}})->is_complete);
}

TEST(Merge, two_files_that_load_the_same_are_one_program) {
  run_log first;
  run_log other;
  // differs.
  for (const auto& [bytes, code] :
       {std::pair(base_digest_name, base_code_name), std::pair(head_digest_name, head_code_name)}) {
    first = shard_log(1, 2, 1);
    other = shard_log(2, 2, 1);
    first.facts.insert(first.facts.end(), {{bytes, "1"}, {code, "same"}});
    other.facts.insert(other.facts.end(), {{bytes, "2"}, {code, "same"}});
    const auto merged = merge_runs({{"a", first}, {"b", other}});
    ASSERT_TRUE(merged) << merged.error().message;
    EXPECT_THAT(value_of(merged->facts, "shards' binaries"), HasSubstr("load the same"));
    EXPECT_EQ(value_of(merged->facts, std::string(bytes) + ", shard 2"), "2");
    other.facts.back().value = "other";
    EXPECT_THAT(
        said({{"a", first}, {"b", other}}),
        HasSubstr("b: is a shard of another run: other " + std::string(code) + " than in a"));
    other.facts.pop_back();
    EXPECT_THAT(said({{"a", first}, {"b", other}}), HasSubstr("of another run")) << code;
  }
  EXPECT_EQ(value_of(merge_runs({{"a", shard_log(1, 2, 1)}, {"b", shard_log(2, 2, 1)}})->facts,
                     "shards' binaries"),
            "");
}

model::coverage_data covered(const std::string& path, std::vector<std::uint64_t> hits) {
  model::coverage_data data;
  for (std::size_t i = 0; i < hits.size(); ++i)
    data[path].line_hits[static_cast<std::uint32_t>(i + 1)] = hits[i];
  return data;
}

TEST(Coverage, change_touched_lines_and_losses) {
  coverage_input input;
  input.base["unit"] = covered("/work/src/a.cpp", {1, 1, 1, 0});
  input.head["unit"] = covered("/work/src/a.cpp", {1, 0, 0, 0, 5});
  input.touched =
      model::touched_lines{{"src/a.cpp", {2, 5, 99}}, {"a.cpp", {}}, {"other.cpp", {1}}};
  const auto table = coverage_change(input);
  ASSERT_EQ(table.flags.size(), 1U);
  EXPECT_EQ(table.flags[0].base->lines.covered, 3U);
  EXPECT_EQ(table.flags[0].head->lines.total, 5U);
  EXPECT_EQ(table.flags[0].touched->covered, 1U);
  EXPECT_EQ(table.flags[0].touched->total, 2U);
  ASSERT_EQ(table.losses.size(), 1U);
  EXPECT_EQ(table.losses[0].file, "/work/src/a.cpp");
}

// A new file that no test compiles has no line in the upload, and none that was missed.
TEST(Coverage, files_that_an_upload_lacks_are_named_and_not_taken_for_covered) {
  coverage_input input;
  input.base["unit"] = covered("/one/src/a.cpp", {1, 1});
  input.base["unit"].merge(covered("/one/src/b.cpp", {1}));
  input.head["unit"] = covered("/one/src/a.cpp", {1, 1});
  input.touched = model::touched_lines{{"src/a.cpp", {1}}, {"src/untested.cpp", {1, 2, 3}}};
  const auto table = coverage_change(input);
  EXPECT_EQ(table.flags[0].touched->total, 1U);
  EXPECT_THAT(table.flags[0].unseen_files, testing::ElementsAre("src/untested.cpp"));
  EXPECT_THAT(table.flags[0].gone_files, testing::ElementsAre("/one/src/b.cpp"));
}

TEST(Coverage, flag_of_one_side_and_a_carried_one_are_unknown_and_not_0) {
  coverage_input input;
  input.base["gone"] = covered("a", {1});
  input.head["new"] = covered("a", {1});
  input.base["kept"] = covered("a", {1, 1});
  input.head["kept"] = covered("a", {1, 0});
  input.carried["kept"] = "carried forward";
  input.touched = model::touched_lines{{"a", {1}}};
  const auto table = coverage_change(input);
  ASSERT_EQ(table.flags.size(), 3U);
  EXPECT_THAT(table.flags[0].unknown, HasSubstr("base only"));
  EXPECT_FALSE(table.flags[0].head.has_value());
  EXPECT_FALSE(table.flags[0].touched.has_value());
  EXPECT_EQ(table.flags[1].carried, "carried forward");
  EXPECT_FALSE(table.flags[1].touched.has_value());
  EXPECT_TRUE(table.losses.empty());
  EXPECT_THAT(table.flags[2].unknown, HasSubstr("head only"));
  EXPECT_TRUE(table.flags[2].touched.has_value());
}

// The suffix alone would give the repository's main.cpp the lines of lib/main.cpp.
TEST(Coverage, file_of_the_same_name_in_another_folder_is_not_the_one_that_was_touched) {
  const auto unseen = [](model::touched_lines touched) {
    coverage_input input;
    input.head["unit"] = covered("/ci/lib/main.cpp", {1, 1});
    input.head["unit"].merge(covered("/ci/src/a.cpp", {1, 0}));
    input.touched = std::move(touched);
    return coverage_change(input).flags[0].unseen_files;
  };
  EXPECT_THAT(unseen({{"main.cpp", {1}}}), testing::ElementsAre("main.cpp"));
  EXPECT_THAT(unseen({{"main.cpp", {1}}, {"src/a.cpp", {1}}}), testing::ElementsAre("main.cpp"));
  EXPECT_THAT(unseen({{"lib/main.cpp", {1}}, {"src/a.cpp", {1}}}), testing::IsEmpty());
  coverage_input flat;
  flat.head["unit"] = covered("/ci/repo/main.cpp", {1});
  flat.head["unit"].merge(covered("/usr/include/vector", {1}));
  flat.touched = model::touched_lines{{"main.cpp", {1}}};
  EXPECT_THAT(coverage_change(flat).flags[0].unseen_files, testing::IsEmpty());
}

TEST(Coverage, path_is_matched_at_a_slash) {
  EXPECT_TRUE(is_path_of("src/a.cpp", "src/a.cpp"));
  EXPECT_TRUE(is_path_of("/ci/src/a.cpp", "src/a.cpp"));
  EXPECT_FALSE(is_path_of("/ci/xsrc/a.cpp", "src/a.cpp"));
  EXPECT_FALSE(is_path_of("a.cpp", "src/a.cpp"));
  EXPECT_FALSE(is_path_of("/a", ""));
}

}  // namespace
}  // namespace assay::compare
