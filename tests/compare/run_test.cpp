// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this, a pair could be built of two processes that did not run next to each other, a
// killed run could pass for a whole one, or a log could be judged otherwise than the run it came
// from.
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

#include <gmock/gmock.h>

#include "harness/compare/host_load.h"
#include "harness/compare/paired_rows.h"
#include "harness/compare/paired_run.h"
#include "harness/compare/process_runner.h"
#include "harness/compare/run_file.h"
#include "harness/compare/run_report.h"
#include "reports/model/comparison_outcome.h"
#include "runtime/telemetry/clock.h"

namespace assay::compare {
namespace {

using model::row_state;
using testing::HasSubstr;

process_request shell(const std::string& line, std::int64_t limit_ns = 0) {
  return {{"/bin/sh", "-c", line}, limit_ns, {}};
}

TEST(Process, output_status_and_times_are_its_own) {
  const auto ending = run_process(shell("echo out; echo err >&2; exit 3"));
  ASSERT_TRUE(ending);
  EXPECT_EQ(ending->out, "out\n");
  EXPECT_EQ(ending->error_tail, "err\n");
  EXPECT_EQ(failure_words(*ending), "exit status 3: err");
  EXPECT_GT(ending->wall_ns, 0);
}

TEST(Process, signal_and_missing_program_are_told_apart) {
  const auto killed = run_process(shell("kill -SEGV $$"));
  ASSERT_TRUE(killed);
  EXPECT_EQ(failure_words(*killed), "killed by signal 11");
  const auto missing = run_process({{"/no/such/program"}, 0, {}});
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().message, HasSubstr("/no/such/program: cannot be run"));
}

TEST(Process, much_output_arrives_whole) {
  const auto ending = run_process(shell("head -c 3000000 /dev/zero"));
  ASSERT_TRUE(ending);
  EXPECT_EQ(ending->out.size(), 3'000'000U);
}

bool is_alive(pid_t pid) {
  return ::kill(pid, 0) == 0;
}

// The pid that a command has printed, dead within a few seconds or not.
bool dies(const std::string& printed_pid) {
  const auto pid = static_cast<pid_t>(std::stol(printed_pid));
  for (int i = 0; i < 500 && is_alive(pid); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  return !is_alive(pid);
}

TEST(Process, that_hangs_is_killed_with_its_children) {
  const auto ending = run_process(shell("sleep 1000 & echo $!; wait", 200'000'000));
  ASSERT_TRUE(ending);
  EXPECT_EQ(ending->how, process_end::out_of_time);
  EXPECT_THAT(failure_words(*ending), HasSubstr("still running after"));
  EXPECT_TRUE(dies(ending->out));
}

// In a session of its own, and its parent gone: no group and no parent leads to it.
TEST(Process, that_hangs_is_killed_with_children_that_left_its_group) {
  const auto hangs = run_process(
      shell("setsid sh -c 'setsid sleep 1000 & echo $!; wait' & sleep 1000", 300'000'000));
  ASSERT_TRUE(hangs);
  EXPECT_EQ(hangs->how, process_end::out_of_time);
  EXPECT_TRUE(dies(hangs->out));
  const auto ends = run_process(shell("setsid sleep 1000 >/dev/null 2>&1 & echo $!; sleep 0.1"));
  ASSERT_TRUE(ends);
  EXPECT_EQ(ends->how, process_end::exited);
  EXPECT_TRUE(dies(ends->out));
}

// Nobody's but the caller's: it was there before.
TEST(Process, leaves_children_alone_that_are_none_of_its_own) {
  const pid_t other = ::fork();
  if (other == 0) {
    ::pause();
    ::_exit(0);
  }
  ASSERT_TRUE(run_process(shell("setsid sleep 1000 >/dev/null 2>&1 & sleep 0.05")));
  EXPECT_EQ(::waitpid(other, nullptr, WNOHANG), 0);
  ::kill(other, SIGKILL);
  ::waitpid(other, nullptr, 0);
}

TEST(Process, that_leaves_a_child_behind_does_not_hold_us_up) {
  const host_time start = host_now();
  const auto ending = run_process(shell("sleep 1000 & echo $!"));
  ASSERT_TRUE(ending);
  EXPECT_TRUE(ending->is_good());
  EXPECT_LT(host_now() - start, 100'000'000'000);
  EXPECT_TRUE(dies(ending->out));
}

TEST(Process, interruption_ends_it_at_once) {
  int asked = 0;
  const auto ending = run_process(
      {{"/bin/sh", "-c", "echo $$; exec sleep 1000"}, 0, [&asked] { return ++asked > 2; }});
  ASSERT_TRUE(ending);
  EXPECT_EQ(ending->how, process_end::interrupted);
  EXPECT_TRUE(dies(ending->out));
}

TEST(HostLoad, steal_is_the_eighth_number) {
  EXPECT_EQ(steal_ticks("cpu  1 2 3 4 5 6 7 88 9 10\ncpu0 1 1 1 1 1 1 1 1\n"), 88);
  EXPECT_EQ(steal_ticks("cpu  1 2 3 4 5 6 7\n"), std::nullopt);
  EXPECT_EQ(steal_ticks("intr 5"), std::nullopt);
  EXPECT_EQ(throttled_ns("usage_usec 5\nnr_throttled 2\nthrottled_usec 17\n"), 17'000);
  EXPECT_EQ(throttled_ns("usage_usec 5\n"), std::nullopt);
}

run_log log_of(const decision_rules& rules) {
  run_log log;
  log.rules = rules;
  log.subjects.push_back({"sleeper", "wall_time", {"base"}, {"head"}, false, false});
  log.is_complete = true;
  return log;
}

model::sample_row number(double value) {
  model::sample_row row;
  row.name = "sleeper";
  row.metric = "wall_time";
  row.unit = "ns";
  row.better = model::direction::lower_is_better;
  row.process_values = {value};
  return row;
}

process_record record(side s, std::uint32_t block, std::uint32_t slot, double value) {
  process_record out;
  out.place = {0, s, block, slot};
  out.rows = {number(value)};
  return out;
}

TEST(Pairs, are_neighbours_and_contrasts_are_of_one_side) {
  run_log log = log_of({});
  // Block 0: base head head base. Block 1: head base base head.
  for (const auto& [s, block, slot, value] : {std::tuple{side::base, 0U, 0U, 10.0},
                                              {side::head, 0U, 1U, 11.0},
                                              {side::head, 0U, 2U, 12.0},
                                              {side::base, 0U, 3U, 13.0},
                                              {side::head, 1U, 0U, 20.0},
                                              {side::base, 1U, 1U, 21.0},
                                              {side::base, 1U, 2U, 22.0},
                                              {side::head, 1U, 3U, 23.0}})
    log.records.push_back(record(s, block, slot, value));
  const auto rows = paired_rows(log);
  ASSERT_EQ(rows.size(), 1U);
  ASSERT_EQ(rows[0].screen.size(), 4U);
  const auto pair = [&](std::size_t i) {
    return std::pair(rows[0].screen[i].base, rows[0].screen[i].head);
  };
  EXPECT_EQ(pair(0), std::pair(10.0, 11.0));
  EXPECT_EQ(pair(1), std::pair(13.0, 12.0));
  EXPECT_EQ(pair(2), std::pair(21.0, 20.0));
  EXPECT_EQ(pair(3), std::pair(22.0, 23.0));
  EXPECT_THAT(rows[0].contrasts.base, testing::ElementsAre(testing::DoubleEq(std::log(13.0 / 10)),
                                                           testing::DoubleEq(std::log(22.0 / 21))));
  EXPECT_THAT(rows[0].contrasts.head, testing::ElementsAre(testing::DoubleEq(std::log(12.0 / 11)),
                                                           testing::DoubleEq(std::log(23.0 / 20))));
}

TEST(Pairs, half_a_pair_is_none) {
  run_log log = log_of({});
  log.records = {record(side::base, 0, 0, 10), record(side::head, 0, 1, 11),
                 record(side::head, 0, 2, 12)};
  EXPECT_EQ(paired_rows(log)[0].screen.size(), 1U);
}

TEST(Pairs, row_that_some_processes_lack_has_failed) {
  run_log log = log_of({});
  log.records = {record(side::base, 0, 0, 10), record(side::head, 0, 1, 11),
                 record(side::head, 0, 2, 12), record(side::base, 0, 3, 10)};
  log.records[2].rows[0].name = "another";
  const auto rows = paired_rows(log);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].head_failure, "only 1 of 2 processes had it");
  EXPECT_FALSE(rows[1].is_in_base);
}

TEST(Pairs, subject_of_one_side_and_one_that_failed_are_rows) {
  run_log log = log_of({});
  log.subjects.push_back({"gone", "real_time", {"base"}, {}, false, false});
  log.subjects.push_back({"new", "real_time", {}, {"head"}, false, false});
  process_record failed;
  failed.place = {0, side::head, 0, 0};
  failed.failure = "killed by signal 11";
  log.records = {failed};
  const auto report = report_of(log);
  ASSERT_EQ(report.rows.size(), 3U);
  EXPECT_EQ(report.rows[0].state, row_state::errored);
  EXPECT_EQ(report.rows[0].reason, "head: killed by signal 11");
  EXPECT_EQ(report.rows[1].state, row_state::removed);
  EXPECT_EQ(report.rows[2].state, row_state::added);
  EXPECT_EQ(model::outcome_of(report), model::outcome::could_not_measure);
}

// Each process prints what the table of the test says: no clock is involved.
class scripted_run {
 public:
  explicit scripted_run(double head_factor) {
    log.rules.floor_ratio = 0.0;
    log.subjects = {{"first", "printed", {"/bin/true"}, {"/bin/true"}, false, false},
                    {"second", "printed", {"/bin/true"}, {"/bin/true"}, false, false}};
    const std::string slow = std::to_string(head_factor);
    log.subjects[1].base_command = {"/bin/echo", "1.0"};
    log.subjects[1].head_command = {"/bin/echo", slow};
  }

  void run(const run_hooks& hooks = {}) {
    const auto ran = try_run(hooks);
    ASSERT_TRUE(ran) << ran.error().message;
  }

  result<void> try_run(const run_hooks& hooks) {
    int runs = 0;
    const auto reader = [&](const process_ending& ending,
                            const run_subject& subject) -> result<std::vector<model::sample_row>> {
      model::sample_row row = number(ending.out.empty() ? 1.0 : std::stod(ending.out));
      row.name = subject.name;
      // Not twice the same: all equal pairs would be one big tie.
      row.process_values[0] *= 1.0 + 1e-5 * (runs++ % 7);
      return std::vector{row};
    };
    return run_pairs(log, {}, reader, hooks);
  }

  run_log log;
};

TEST(Run, screens_all_and_confirms_what_passed) {
  scripted_run scripted(1.25);
  scripted.run();
  std::set<std::pair<stage, std::uint32_t>> ran;
  for (const auto& each : scripted.log.records) ran.insert({each.stage, each.place.subject});
  EXPECT_TRUE(ran.count({stage::screen, 0}) == 1 && ran.count({stage::screen, 1}) == 1);
  EXPECT_EQ(ran.count({stage::confirm, 0}), 0U);
  EXPECT_EQ(ran.count({stage::confirm, 1}), 1U);
  EXPECT_EQ(scripted.log.records.size(), 2U * 24 + 64);
  const auto report = report_of(scripted.log);
  EXPECT_EQ(report.rows[0].state, row_state::unchanged);
  EXPECT_EQ(report.rows[1].state, row_state::regressed);
  EXPECT_NEAR(*report.rows[1].change_ratio, 0.25, 1e-3);
}

TEST(Run, interruption_keeps_what_there_is_and_says_so) {
  scripted_run scripted(1.25);
  int asked = 0;
  run_hooks hooks;
  hooks.is_interrupted = [&asked] { return ++asked > 30; };
  scripted.run(hooks);
  EXPECT_FALSE(scripted.log.is_complete);
  EXPECT_GT(scripted.log.records.size(), 4U);
  const auto report = report_of(scripted.log);
  EXPECT_EQ(report.rows.size(), 2U);
  EXPECT_THAT(report.incompleteness, HasSubstr("interrupted after"));
  EXPECT_EQ(model::outcome_of(report), model::outcome::could_not_measure);
}

TEST(Run, program_that_is_replaced_ends_it_and_its_last_process_is_not_kept) {
  scripted_run scripted(1.0);
  int asked = 0;
  run_hooks hooks;
  // Looked at before and after each process: after the third one it is another.
  hooks.check_programs = [&asked]() -> result<void> {
    if (++asked < 6) return {};
    return ASSAY_FAIL(unavailable, "it was replaced");
  };
  const auto ran = scripted.try_run(hooks);
  ASSERT_FALSE(ran);
  EXPECT_EQ(ran.error().message, "it was replaced");
  EXPECT_EQ(asked, 6);
  EXPECT_EQ(scripted.log.records.size(), 2U);
  EXPECT_FALSE(scripted.log.is_complete);
  EXPECT_EQ(scripted.log.incompleteness, "it was replaced");
}

TEST(Run, subject_that_fails_is_not_run_again) {
  scripted_run scripted(1.0);
  scripted.log.subjects[0].head_command = {"/bin/false"};
  scripted.run();
  int failures = 0;
  for (const auto& each : scripted.log.records) failures += !each.failure.empty();
  EXPECT_EQ(failures, 1);
  const auto report = report_of(scripted.log);
  EXPECT_EQ(report.rows[0].state, row_state::errored);
  EXPECT_EQ(report.rows[1].state, row_state::unchanged);
}

// A counter of 0, or "inf ms" in a last line: no reason to fall over in the middle of a run.
TEST(Run, number_that_a_change_has_no_ratio_to_is_an_errored_row) {
  for (const char* odd : {"0", "-1", "inf", "1e300"}) {
    scripted_run scripted(1.0);
    scripted.log.subjects[1].head_command = {"/bin/echo", odd};
    scripted.run();
    const auto report = report_of(scripted.log);
    EXPECT_EQ(report.rows[1].state, row_state::errored) << odd;
    EXPECT_THAT(report.rows[1].reason, HasSubstr("no ratio")) << odd;
    EXPECT_EQ(report.rows[0].state, row_state::unchanged);
    for (const auto& record : scripted.log.records)
      for (const auto& row : record.rows)
        for (const double value : row.process_values) EXPECT_TRUE(has_ratio(value)) << odd;
  }
}

TEST(Run, budget_ends_the_run_between_blocks) {
  scripted_run scripted(1.25);
  run_log& log = scripted.log;
  const auto reader = [](const process_ending&,
                         const run_subject& subject) -> result<std::vector<model::sample_row>> {
    model::sample_row row = number(1.0);
    row.name = subject.name;
    return std::vector{row};
  };
  ASSERT_TRUE(run_pairs(log, {.budget_ns = 1}, reader, {}));
  EXPECT_EQ(log.records.size() % 4, 0U);
  EXPECT_LT(log.records.size(), 48U);
  EXPECT_THAT(log.facts.at(0).name, HasSubstr("budget ended the screen"));
}

// Half of the budget is over after the first block, and no row can say anything with two pairs.
TEST(Run, screen_goes_on_beyond_half_the_budget_until_rows_have_pairs_that_say_something) {
  scripted_run scripted(1.25);
  run_log& log = scripted.log;
  constexpr std::int64_t budget_ns = 400'000'000;
  std::size_t reads = 0;
  const auto reader = [&](const process_ending&,
                          const run_subject& subject) -> result<std::vector<model::sample_row>> {
    if (++reads == 4 * log.subjects.size())
      std::this_thread::sleep_for(std::chrono::nanoseconds(budget_ns / 2 + budget_ns / 20));
    model::sample_row row = number(1.0);
    row.name = subject.name;
    return std::vector{row};
  };
  const host_time start = host_now();
  ASSERT_TRUE(run_pairs(log, {.budget_ns = budget_ns}, reader, {}));
  // On a machine that stood still meanwhile the whole budget may be over.
  EXPECT_TRUE(log.records.size() >= 12 * log.subjects.size() || host_now() - start >= budget_ns)
      << log.records.size();
}

std::string written(const run_log& log) {
  std::string text = head_line(log);
  for (const auto& each : log.records) text += record_line(each);
  return text + end_line(log, {});
}

TEST(Run, control_has_eight_pairs_where_the_screen_has_fewer) {
  scripted_run scripted(1.0);
  scripted.log.rules.screen_pairs = 2;
  scripted.log.subjects.back().is_control = true;
  scripted.run();
  const auto rows = paired_rows(scripted.log);
  EXPECT_EQ(rows.front().screen.size(), scripted.log.subjects.size() > 1 ? 2U : 8U);
  EXPECT_EQ(rows.back().screen.size(), fewest_control_pairs);
  EXPECT_TRUE(parse_run_log(written(scripted.log), "run.jsonl"));
}

TEST(RunFile, is_judged_as_the_run_was) {
  scripted_run scripted(1.25);
  scripted.log.facts = {{"host", "here"}};
  scripted.run();
  const auto again = parse_run_log(written(scripted.log), "run.jsonl");
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(written(*again), written(scripted.log));
  const auto one = report_of(scripted.log);
  const auto two = report_of(*again);
  ASSERT_EQ(one.rows.size(), two.rows.size());
  for (std::size_t i = 0; i < one.rows.size(); ++i) {
    EXPECT_EQ(one.rows[i].state, two.rows[i].state);
    EXPECT_EQ(one.rows[i].change_ratio, two.rows[i].change_ratio);
    EXPECT_EQ(one.rows[i].visible_ratio, two.rows[i].visible_ratio);
  }
}

TEST(RunFile, cut_off_anywhere_is_incomplete_or_refused_and_never_whole) {
  scripted_run scripted(1.0);
  scripted.log.rules.screen_pairs = 2;
  scripted.run();
  const std::string whole = written(scripted.log);
  const std::size_t head = whole.find('\n') + 1;
  for (std::size_t size = 0; size + 1 < whole.size(); size += 13) {
    const auto cut = parse_run_log(whole.substr(0, size), "run.jsonl");
    if (size + 1 < head) {
      ASSERT_FALSE(cut);
    } else {
      ASSERT_TRUE(cut) << size << ' ' << cut.error().message;
      ASSERT_FALSE(cut->is_complete);
    }
  }
}

TEST(RunFile, wrong_line_is_named) {
  scripted_run scripted(1.0);
  scripted.log.rules.screen_pairs = 2;
  scripted.run();
  const std::string whole = written(scripted.log);
  const auto with = [&](const std::string& old, const std::string& other) {
    std::string text = whole;
    text.replace(text.find(old), old.size(), other);
    const auto parsed = parse_run_log(text, "run.jsonl");
    return parsed ? std::string("taken") : parsed.error().message;
  };
  EXPECT_THAT(with("\"side\":\"base\"", "\"side\":\"tail\""), HasSubstr("run.jsonl: line "));
  EXPECT_THAT(with("\"side\":\"base\"", "\"side\":\"tail\""), HasSubstr("$.side is no side"));
  EXPECT_THAT(with("\"values\":[1", "\"values\":[-1"), HasSubstr("no time"));
  EXPECT_THAT(with("\"block\":0", "\"block\":99"), HasSubstr("beyond the plan"));
  EXPECT_THAT(with("\"assay_comparison_log\":1", "\"assay_comparison_log\":2"),
              HasSubstr("another version"));
  // Of two records of one process the later would replace the earlier, and nobody be told.
  const std::size_t first = whole.find('\n') + 1;
  const std::string record = whole.substr(first, whole.find('\n', first) + 1 - first);
  EXPECT_THAT(with(record, record + record), HasSubstr("line 3: is a second record of "));
}

}  // namespace
}  // namespace assay::compare
