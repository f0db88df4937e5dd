// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this, slices could be held against those of another pair, or a worker that died, lied or
// hung could leave a number.
#include <cmath>

#include <gmock/gmock.h>

#include "harness/compare/median.h"
#include "harness/compare/paired_comparison.h"
#include "harness/compare/paired_rows.h"
#include "harness/compare/paired_run.h"
#include "harness/compare/run_file.h"
#include "harness/compare/run_report.h"
#include "harness/compare/slice_worker.h"
#include "reports/model/comparison_outcome.h"

namespace assay::compare {
namespace {

using model::row_state;
using testing::HasSubstr;

// A worker in a shell that answers each request with `answer`.
std::vector<std::string> worker(const std::string& answer, const std::string& before = "") {
  return {"/bin/sh", "-c", before + "echo ready; while read -r line; do " + answer + "; done"};
}

slice_plan quick() {
  slice_plan plan;
  plan.slices = 5;
  plan.slice_ns = 1000;
  plan.process_ns = 20'000'000'000;
  return plan;
}

TEST(Slices, answer_is_read_or_refused) {
  EXPECT_EQ(slice_ns_of("slice 4 100"), 25.0);
  for (const char* line : {"", "slice", "slice 4", "slice 0 100", "slice 4 0", "slice 4 100 5",
                           "slice 4  100", "slice x 100", "ready"})
    EXPECT_EQ(slice_ns_of(line), std::nullopt) << line;
}

TEST(Slices, pair_is_the_median_of_ratios_and_not_the_ratio_of_medians) {
  // Half way the machine slows down by ten: each ratio stays 1.1.
  const std::vector<double> base{10, 10, 10, 100, 100};
  const std::vector<double> head{11, 11, 11, 110, 1100};
  EXPECT_NEAR(median_log_ratio(base, head), std::log(1.1), 1e-12);
  EXPECT_EQ(median_of({4, 1, 3, 2}), 2.5);
}

TEST(Turns, both_leave_all_slices) {
  const auto pair =
      run_worker_pair(worker("echo slice 10 1000"), worker("echo slice 10 1200"), quick());
  ASSERT_TRUE(pair) << pair.error().message;
  EXPECT_THAT(pair->first.slices_ns, testing::ElementsAre(100, 100, 100, 100, 100));
  EXPECT_THAT(pair->second.slices_ns, testing::Each(120));
  EXPECT_EQ(failure_words(pair->first.ending), "");
}

TEST(Turns, worker_that_fails_says_how_and_its_partner_is_no_failure) {
  const auto honest = worker("echo slice 10 1000");
  struct trap {
    std::vector<std::string> worker;
    const char* said;
  };
  for (const trap& each :
       {trap{worker("echo no such operand >&2; exit 7"), "exit status 7: no such operand"},
        {worker("echo slice 10 nothing"), "answered 'slice 10 nothing'"},
        {worker("kill -SEGV $$"), "killed by signal 11"},
        {{"/bin/sh", "-c", "echo hello; exec sleep 1000"}, "said 'hello'"},
        {{"/bin/sh", "-c", "echo ready"}, "ended before it had answered"},
        {{"/bin/sh", "-c", "exit 3"}, "exit status 3"}}) {
    const auto pair = run_worker_pair(honest, each.worker, quick());
    ASSERT_TRUE(pair) << each.said;
    EXPECT_THAT(failure_words(pair->second.ending), HasSubstr(each.said));
    EXPECT_EQ(failure_words(pair->first.ending), "") << each.said;
    EXPECT_LT(pair->second.slices_ns.size(), 5U);
  }
}

TEST(Turns, worker_that_hangs_is_killed) {
  slice_plan plan = quick();
  plan.process_ns = 300'000'000;
  const auto pair = run_worker_pair(worker("echo slice 1 1"), worker("exec sleep 1000"), plan);
  ASSERT_TRUE(pair);
  EXPECT_EQ(pair->second.ending.how, process_end::out_of_time);
}

TEST(Turns, interruption_ends_both) {
  slice_plan plan = quick();
  int asked = 0;
  plan.is_interrupted = [&asked] { return ++asked > 4; };
  plan.slices = 100'000;
  const auto pair = run_worker_pair(worker("echo slice 1 1"), worker("echo slice 1 1"), plan);
  ASSERT_TRUE(pair);
  EXPECT_TRUE(pair->first.ending.how == process_end::interrupted ||
              pair->second.ending.how == process_end::interrupted);
}

run_log sliced_log(const std::string& head_answer) {
  run_log log;
  log.rules.floor_ratio = 0.0;
  log.rules.screen_pairs = 6;
  log.rules.confirm_pairs = 8;
  run_subject subject{"row", "real_time", worker("echo slice 10 1000"), worker(head_answer)};
  subject.is_sliced = true;
  log.subjects.push_back(subject);
  return log;
}

run_limits few_slices() {
  run_limits limits;
  limits.slices = 3;
  limits.slice_ns = 1000;
  return limits;
}

TEST(Turns, change_is_found_and_read_again_from_the_log) {
  run_log log = sliced_log("echo slice 10 1250");
  ASSERT_TRUE(run_pairs(log, few_slices(), {}, {}));
  EXPECT_EQ(log.records.size(), 2U * (6 + 8));
  const auto report = report_of(log);
  ASSERT_EQ(report.rows.size(), 1U);
  EXPECT_EQ(report.rows[0].state, row_state::regressed);
  EXPECT_NEAR(*report.rows[0].change_ratio, 0.25, 1e-9);
  EXPECT_EQ(report.rows[0].pairs, 8U);
  std::string text = head_line(log);
  for (const auto& each : log.records) text += record_line(each);
  text += end_line(log, {});
  const auto again = parse_run_log(text, "run.jsonl");
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->records[0].slices_ns, log.records[0].slices_ns);
  EXPECT_EQ(report_of(*again).rows[0].change_ratio, report.rows[0].change_ratio);
}

TEST(Turns, slices_decide_and_not_the_processes_medians) {
  run_log log = sliced_log("echo slice 10 1000");
  ASSERT_TRUE(run_pairs(log, few_slices(), {}, {}));
  for (process_record& record : log.records)
    if (record.place.side == side::head) record.rows[0].process_values = {999.0};
  EXPECT_EQ(paired_rows(log)[0].screen[0].log_ratio, 0.0);
}

TEST(Turns, side_that_fails_is_errored_and_the_other_is_not) {
  run_log log = sliced_log("exit 9");
  ASSERT_TRUE(run_pairs(log, few_slices(), {}, {}));
  const auto report = report_of(log);
  ASSERT_EQ(report.rows.size(), 1U);
  EXPECT_EQ(report.rows[0].state, row_state::errored);
  EXPECT_EQ(report.rows[0].reason, "head: exit status 9");
}

TEST(Turns, fewer_than_six_fresh_pairs_decide_nothing) {
  run_log log = sliced_log("echo slice 10 1250");
  log.rules.confirm_pairs = 4;
  ASSERT_TRUE(run_pairs(log, few_slices(), {}, {}));
  const auto report = report_of(log);
  EXPECT_EQ(report.rows[0].state, row_state::inconclusive);
  EXPECT_THAT(report.rows[0].reason, HasSubstr("needs at least 6 pairs"));
}

TEST(ExactSubject, runs_one_block_and_is_not_confirmed) {
  run_log log = sliced_log("echo slice 10 1250");
  run_subject counts{"counts", "count", {"/bin/echo", "5"}, {"/bin/echo", "6"}};
  counts.is_exact = true;
  log.subjects.push_back(counts);
  const output_reader reader = [](const process_ending& ending, const run_subject&) {
    model::sample_row row;
    row.name = "bytes";
    row.metric = "count";
    row.is_exact = true;
    row.process_values = {std::stod(ending.out)};
    return result<std::vector<model::sample_row>>(std::vector{row});
  };
  ASSERT_TRUE(run_pairs(log, few_slices(), reader, {}));
  EXPECT_EQ(log.records.size(), 2U * (6 + 8) + 4);
  const auto report = report_of(log);
  ASSERT_EQ(report.rows.size(), 2U);
  EXPECT_EQ(report.rows[1].state, row_state::regressed);
  EXPECT_EQ(report.rows[1].reason, "an exact count: 5 became 6");
  EXPECT_EQ(model::outcome_of(report), model::outcome::found);
}

}  // namespace
}  // namespace assay::compare
