// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without these, two runs of one program could be told apart by noise, a slower operator could hide
// in a step, or steps that did other work could be compared as if they had done the same.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "harness/attribution/rank_shift.h"
#include "harness/attribution/step_difference.h"
#include "harness/attribution/timed_row.h"
#include "tests/attribution/planted_trace.h"

namespace assay::attribution_test {
namespace {

using model::difference_verdict;

struct run_shape {
  std::uint64_t seed = 1;
  double slower = 1.0;  ///< the operator of 8,000 B of weights
  int requests = 8;
  int steps = 32;
  bool has_warmup = false;      ///< a request of another length before the others
  double noise = 0.05;          ///< of each length
  std::int64_t more_bytes = 0;  ///< read by one launch of one step
  bool has_more_operators = false;
  double pace = 1.0;  ///< of the whole process: what a slow core does to every time
};

void add_request(planted_trace& trace, const run_shape& shape, std::mt19937_64& rng, int request,
                 int steps, std::int64_t first_context) {
  std::normal_distribution<double> noise(1.0, shape.noise);
  const auto around = [&](double ns) {
    return static_cast<std::int64_t>(ns * shape.pace * noise(rng));
  };
  trace.begin(ASSAY_WINDOW_REQUEST, static_cast<std::uint64_t>(request));
  for (int step = 0; step < steps; ++step) {
    trace.begin(ASSAY_WINDOW_DECODE_STEP, static_cast<std::uint64_t>(step));
    const auto launch = [&](std::int64_t length_ns, std::int64_t weight_bytes,
                            std::int64_t kv_bytes) {
      trace.work(ASSAY_OP_LAUNCH, ASSAY_H2D, 100, length_ns, 0, weight_bytes);
      trace.records.back().extra[2] = kv_bytes;
      trace.wait(100 + length_ns);
    };
    launch(around(20'000), 1'000, 0);
    launch(around(50'000 * shape.slower), 8'000, 0);
    if (shape.has_more_operators) {
      launch(around(30'000), 4'000, 0);
      launch(around(40'000), 2'000, 0);
    }
    launch(around(10'000), 0, (first_context + step) * 64);
    if (shape.more_bytes != 0 && request == 1 && step == 3)
      trace.records.at(trace.records.size() - 2).extra[2] += shape.more_bytes;
    trace.pass(around(3'000));
    trace.end(ASSAY_WINDOW_DECODE_STEP, static_cast<std::uint64_t>(step));
  }
  trace.end(ASSAY_WINDOW_REQUEST, static_cast<std::uint64_t>(request));
}

model::investigation run_of(const run_shape& shape) {
  planted_trace trace;
  std::mt19937_64 rng(shape.seed);
  int place = 0;
  if (shape.has_warmup) add_request(trace, shape, rng, place++, 5, 1);
  for (int request = 0; request < shape.requests; ++request)
    add_request(trace, shape, rng, place++, shape.steps, 10 + request);
  return trace.investigate(true);
}

model::investigation_difference difference_of(model::investigation first,
                                              model::investigation second) {
  std::vector<model::investigation> ones;
  std::vector<model::investigation> others;
  ones.push_back(std::move(first));
  others.push_back(std::move(second));
  return attribution::difference_of(std::move(ones), std::move(others));
}

// Runs of one program, each by its own seed and as slow as its machine lets it be.
std::vector<model::investigation> runs_of(int count, std::uint64_t seed, double slower,
                                          double between) {
  std::mt19937_64 rng(seed);
  std::normal_distribution<double> log_pace(0.0, between);
  std::vector<model::investigation> out;
  for (int at = 0; at < count; ++at)
    out.push_back(run_of({.seed = rng(),
                          .slower = slower,
                          .has_more_operators = true,
                          .pace = std::exp(log_pace(rng))}));
  return out;
}

const model::timed_difference& row_of(const model::investigation_difference& in,
                                      const std::string& subject) {
  const auto found = std::find_if(in.times.begin(), in.times.end(), [&](const auto& each) {
    return each.subject.find(subject) != std::string::npos;
  });
  EXPECT_NE(found, in.times.end()) << subject;
  return found == in.times.end() ? in.times.front() : *found;
}

bool is_any_told(const model::investigation_difference& in) {
  return std::any_of(in.times.begin(), in.times.end(), [](const auto& each) {
    return each.verdict != difference_verdict::cannot_tell;
  });
}

bool is_every_count_same(const model::investigation_difference& in) {
  return std::all_of(in.counts.begin(), in.counts.end(),
                     [](const auto& each) { return each.verdict == difference_verdict::same; });
}

TEST(Difference, a_trace_does_not_differ_from_itself) {
  const auto found = difference_of(run_of({}), run_of({}));
  EXPECT_EQ(found.aligned_steps, 8u * 32u);
  EXPECT_EQ(found.repeats, 8u * 4u);
  EXPECT_FALSE(is_any_told(found));
  EXPECT_TRUE(is_every_count_same(found));
  EXPECT_GE(found.counts.size(), 8u);
  for (const auto& each : found.times) {
    EXPECT_TRUE(each.has_interval) << each.subject;
    EXPECT_EQ(each.change_ns, 0) << each.subject;
  }
}

TEST(Difference, noise_alone_is_told_in_no_more_than_one_run_of_twenty) {
  int told = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed)
    told += is_any_told(difference_of(run_of({.seed = seed}), run_of({.seed = seed + 1'000})));
  EXPECT_LE(told, 7);  // 3 on average where each has 5 %; 8 or more come once in a hundred
}

// So noisy that the interval of the slowest operator reaches beyond its margin.
TEST(Difference, noise_beyond_the_margin_is_told_no_more_often) {
  int told = 0;
  bool is_wide = true;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const auto found = difference_of(run_of({.seed = seed, .noise = 0.3}),
                                     run_of({.seed = seed + 1'000, .noise = 0.3}));
    const auto& slow = row_of(found, "8000 B");
    is_wide = is_wide && slow.high_ns - slow.low_ns > 2 * slow.margin_ns;
    told += is_any_told(found);
  }
  EXPECT_TRUE(is_wide);
  EXPECT_LE(told, 7);
}

TEST(Difference, all_rows_share_one_chance_of_five_in_a_hundred) {
  const auto found = difference_of(run_of({}), run_of({.seed = 2}));
  EXPECT_DOUBLE_EQ(found.level_ratio, 1.0 - 0.05 / static_cast<double>(found.times.size()));
}

TEST(Difference, a_slower_operator_is_found_in_its_row_and_in_the_step) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto found =
        difference_of(run_of({.seed = seed}), run_of({.seed = seed + 1'000, .slower = 1.10}));
    const auto& slow = row_of(found, "8000 B");
    EXPECT_EQ(slow.verdict, difference_verdict::apart) << seed;
    EXPECT_NEAR(static_cast<double>(slow.change_ns), 5'000.0, 1'500.0) << seed;
    EXPECT_LE(slow.low_ns, 5'000);
    EXPECT_EQ(found.times.front().verdict, difference_verdict::apart) << seed;
    EXPECT_EQ(row_of(found, "1000 B").verdict, difference_verdict::cannot_tell) << seed;
    EXPECT_EQ(row_of(found, "residual").verdict, difference_verdict::cannot_tell) << seed;
    EXPECT_TRUE(is_every_count_same(found)) << seed;
  }
}

TEST(Difference, a_faster_operator_is_found_as_well) {
  const auto found = difference_of(run_of({.slower = 1.10}), run_of({.seed = 9}));
  EXPECT_EQ(row_of(found, "8000 B").verdict, difference_verdict::apart);
  EXPECT_LT(row_of(found, "8000 B").high_ns, 0);
}

TEST(Difference, requests_are_aligned_by_what_they_did_whatever_their_place) {
  const auto found = difference_of(run_of({}), run_of({.seed = 2, .has_warmup = true}));
  EXPECT_EQ(found.aligned_steps, 8u * 32u);
  EXPECT_EQ(found.one_sided_steps, 5u);
  EXPECT_EQ(found.other_work_steps, 0u);
  EXPECT_FALSE(is_any_told(found));
}

TEST(Difference, one_byte_more_is_exact_and_its_step_is_not_compared) {
  const auto found = difference_of(run_of({}), run_of({.more_bytes = 1}));
  EXPECT_EQ(found.other_work_steps, 1u);
  EXPECT_EQ(found.aligned_steps, 8u * 32u - 1u);
  const auto unequal =
      std::count_if(found.counts.begin(), found.counts.end(),
                    [](const auto& each) { return each.verdict == difference_verdict::differs; });
  EXPECT_GE(unequal, 1);
  EXPECT_FALSE(is_any_told(found));
  EXPECT_FALSE(is_every_count_same(difference_of(run_of({.more_bytes = 1}), run_of({}))));
}

TEST(Difference, too_few_repeats_have_no_interval_and_say_so) {
  const auto found = difference_of(run_of({.requests = 1}), run_of({.slower = 3.0, .requests = 1}));
  EXPECT_EQ(found.repeats, 4u);
  EXPECT_FALSE(is_any_told(found));
  EXPECT_FALSE(found.times.front().has_interval);
  EXPECT_NE(found.blind_spots.front().find("too few"), std::string::npos);
}

TEST(Difference, runs_of_other_work_are_not_comparable) {
  const auto found = difference_of(run_of({}), planted_trace{}.investigate(true));
  EXPECT_EQ(found.aligned_steps, 0u);
  EXPECT_EQ(found.one_sided_steps, 8u * 32u);
  EXPECT_EQ(model::outcome_of(found), model::outcome::not_comparable);
  EXPECT_NE(found.blind_spots.front().find("no step"), std::string::npos);
}

TEST(Difference, ids_differ_where_their_fact_does) {
  auto one = run_of({});
  auto other = run_of({});
  one.audit.facts = {{"token ids", "4 ids, 0a"}, {"cores", "2"}};
  other.audit.facts = {{"token ids", "4 ids, 0b"}, {"cores", "2"}};
  EXPECT_EQ(difference_of(one, other).token_ids, difference_verdict::differs);
  EXPECT_EQ(difference_of(one, one).token_ids, difference_verdict::same);
  EXPECT_EQ(difference_of(one, other).facts.size(), 1u);
  other.audit.facts.clear();
  EXPECT_EQ(difference_of(one, other).token_ids, difference_verdict::cannot_tell);
}

TEST(Difference, what_is_beneath_the_margin_is_none) {
  const auto at = [](double slower) {
    return row_of(difference_of(run_of({}), run_of({.slower = slower})), "8000 B").verdict;
  };
  EXPECT_EQ(at(1.03), difference_verdict::cannot_tell);  // 1.5 us
  EXPECT_EQ(at(1.05), difference_verdict::apart);        // 2.5 us, the same noise on both sides
  EXPECT_EQ(at(0.97), difference_verdict::cannot_tell);
  EXPECT_EQ(at(0.95), difference_verdict::apart);
}

// What one process got of the machine is in every step of it, so that its steps agree with each
// other and not with those of the next process.
TEST(Difference, two_runs_of_one_program_are_never_called_larger_or_smaller) {
  int apart = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto found =
        difference_of(runs_of(1, seed, 1.0, 0.2)[0], runs_of(1, 99 + seed, 1.0, 0.2)[0]);
    for (const auto& each : found.times)
      EXPECT_TRUE(each.verdict == difference_verdict::apart ||
                  each.verdict == difference_verdict::cannot_tell);
    apart += is_any_told(found);
    EXPECT_NE(std::find_if(found.blind_spots.begin(), found.blind_spots.end(),
                           [](const auto& each) {
                             return each.find("Whether the programs differ") != std::string::npos;
                           }),
              found.blind_spots.end());
  }
  EXPECT_GT(apart, 10);  // or this test has shown nothing
}

TEST(Difference, runs_of_one_program_on_both_sides_are_told_apart_in_one_report_of_twenty) {
  int told = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed)
    told += is_any_told(
        attribution::difference_of(runs_of(7, seed, 1.0, 0.2), runs_of(7, seed + 1'000, 1.0, 0.2)));
  EXPECT_LE(told, 7);
}

TEST(Difference, a_slower_operator_is_found_among_runs_that_differ_by_more) {
  int found_paced = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto found =
        attribution::difference_of(runs_of(8, seed, 1.0, 0.2), runs_of(8, seed + 1'000, 1.10, 0.2));
    for (const auto& each : found.times) {
      const bool is_slow = each.is_paced && each.subject.find("8000 B") != std::string::npos;
      found_paced += is_slow && each.verdict == difference_verdict::larger;
      if (each.is_paced && !is_slow) {
        EXPECT_EQ(each.verdict, difference_verdict::cannot_tell) << seed << each.subject;
      }
    }
  }
  EXPECT_EQ(found_paced, 20);
}

// A core that others take for half of the steps: the pace is the step's and not the run's.
TEST(Difference, a_slower_operator_is_found_where_each_step_has_a_pace_of_its_own) {
  const auto side = [](std::uint64_t seed, double slower) {
    auto out = runs_of(8, seed, slower, 0.02);
    std::mt19937_64 rng(seed);
    for (auto& run : out) {
      std::bernoulli_distribution is_slow(std::uniform_real_distribution<double>(0.3, 0.7)(rng));
      for (auto& step : run.steps)
        if (is_slow(rng))
          for (auto& busy : step.launch_busy_ns) busy *= 2;
    }
    return out;
  };
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const auto found = attribution::difference_of(side(seed, 1.0), side(seed + 1'000, 1.10));
    for (const auto& each : found.times) {
      if (!each.is_launch) continue;
      const bool is_slower = each.subject.find("8000 B") != std::string::npos;
      EXPECT_EQ(each.verdict,
                is_slower ? difference_verdict::larger : difference_verdict::cannot_tell)
          << seed << each.subject << each.is_paced;
    }
  }
}

// 1.5 us of 50: more than runs are apart, though one run's brackets are not that fine.
TEST(Difference, between_runs_two_in_a_hundred_count_and_half_a_microsecond) {
  const auto at = [](double slower, const char* which) {
    return row_of(
        attribution::difference_of(runs_of(8, 1, 1.0, 0.001), runs_of(8, 1'001, slower, 0.001)),
        which);
  };
  EXPECT_EQ(at(1.04, "8000 B").verdict, difference_verdict::larger);
  EXPECT_EQ(at(1.015, "8000 B").verdict, difference_verdict::cannot_tell);
  EXPECT_EQ(at(1.0, "reads KV").margin_ns, 500);
  EXPECT_EQ(at(1.0, "8000 B").margin_ns, at(1.0, "8000 B").first_ns / 50);
}

// In each step half of the others are slow. One that is twice as long in all steps of one side
// would count as one more of them, and the others look shorter by its doing.
TEST(Difference, one_that_is_told_apart_does_not_pace_the_others) {
  constexpr std::size_t moved = 1;  // 8,000 B
  const auto side = [](std::uint64_t seed, std::int64_t factor) {
    auto out = runs_of(8, seed, 1.0, 0.02);
    for (auto& run : out)
      for (std::size_t at = 0; at < run.steps.size(); ++at)
        for (std::size_t which = 0, other = 0; which < 5; ++which) {
          std::int64_t& busy = run.steps[at].launch_busy_ns.at(which);
          if (which == moved)
            busy *= factor;
          else if ((at + other++) % 4 < 2)
            busy += busy * 3 / 10;
        }
    return out;
  };
  const auto found = attribution::difference_of(side(1, 1), side(1'001, 2));
  for (const auto& each : found.times)
    if (each.is_paced) {
      EXPECT_EQ(each.verdict != difference_verdict::cannot_tell,
                each.subject.find("8000 B") != std::string::npos)
          << each.subject << each.change_ns;
    }
}

TEST(Difference, a_launch_of_few_steps_has_no_pace) {
  auto runs = runs_of(16, 1, 1.0, 0.01);
  for (auto& run : runs)
    for (std::size_t at = 0; at < run.steps.size(); ++at)
      if (at % 4 != 0) run.steps[at].launch_busy_ns.back() = 0;
  const std::vector<model::investigation> firsts(runs.begin(), runs.begin() + 8);
  const auto found = attribution::difference_of(firsts, {runs.begin() + 8, runs.end()});
  const auto rows = std::count_if(found.times.begin(), found.times.end(), [](const auto& each) {
    return each.subject.find("reads KV") != std::string::npos;
  });
  EXPECT_EQ(rows, 1) << "its own, and none at the others' pace";
}

// Where a second core made the others twice as fast, one that runs on a single thread has not
// moved.
TEST(Difference, a_launch_that_does_not_follow_the_others_has_not_changed) {
  const auto side = [](int slow_runs) {
    std::vector<model::investigation> out;
    for (int at = 0; at < 16; ++at) {
      model::investigation run = run_of({.seed = static_cast<std::uint64_t>(100 * slow_runs + at),
                                         .has_more_operators = true,
                                         .pace = at < slow_runs ? 2.0 : 1.0});
      for (auto& step : run.steps) {
        auto& head = step.launch_busy_ns.back();  // one thread
        if (at < slow_runs) head /= 2;
      }
      out.push_back(std::move(run));
    }
    return out;
  };
  const auto found = attribution::difference_of(side(1), side(15));
  for (const auto& each : found.times)
    if (each.is_paced) {
      EXPECT_EQ(each.verdict, difference_verdict::cannot_tell) << each.subject;
    }
}

TEST(Difference, among_runs_that_agree_it_is_found_in_its_row_and_in_the_step) {
  const auto found =
      attribution::difference_of(runs_of(8, 1, 1.0, 0.002), runs_of(8, 1'001, 1.10, 0.002));
  const auto& slow = row_of(found, "8000 B");
  EXPECT_FALSE(slow.is_paced);
  EXPECT_EQ(slow.verdict, difference_verdict::larger);
  EXPECT_NEAR(static_cast<double>(slow.change_ns), 5'000.0, 700.0);
  EXPECT_EQ(found.times.front().verdict, difference_verdict::larger);
  EXPECT_EQ(row_of(found, "1000 B").verdict, difference_verdict::cannot_tell);
  const auto turned =
      attribution::difference_of(runs_of(8, 1, 1.10, 0.002), runs_of(8, 1'001, 1.0, 0.002));
  EXPECT_EQ(row_of(turned, "8000 B").verdict, difference_verdict::smaller);
  ASSERT_EQ(found.runs.size(), 16u);
  EXPECT_EQ(found.runs[8].number, 1u);
  EXPECT_TRUE(found.runs[8].is_second);
  EXPECT_GT(found.runs[15].step_ns, 100'000);
}

TEST(Difference, too_few_runs_have_no_interval_and_say_how_many_would_do) {
  const auto found =
      attribution::difference_of(runs_of(3, 1, 1.0, 0.01), runs_of(3, 1'001, 3.0, 0.01));
  EXPECT_FALSE(is_any_told(found));
  EXPECT_FALSE(found.times.front().has_interval);
  EXPECT_NE(found.blind_spots.front().find("3 and 3 runs are too few"), std::string::npos);
  EXPECT_NE(found.blind_spots.front().find("6 and 6 would do"), std::string::npos)
      << found.blind_spots.front();
}

TEST(Difference, a_step_that_one_run_did_otherwise_is_compared_in_none) {
  auto firsts = runs_of(2, 1, 1.0, 0.01);
  firsts.push_back(run_of({.seed = 5, .more_bytes = 1, .has_more_operators = true}));
  const auto found = attribution::difference_of(std::move(firsts), runs_of(3, 2, 1.0, 0.01));
  EXPECT_EQ(found.aligned_steps, 8u * 32u - 1u);
  EXPECT_EQ(found.other_work_steps, 1u);
  // Within a side the amount varies: between the sides it tells nothing.
  const auto doubted = std::count_if(
      found.counts.begin(), found.counts.end(),
      [](const auto& each) { return each.verdict == difference_verdict::cannot_tell; });
  EXPECT_GE(doubted, 1);
  EXPECT_EQ(model::outcome_of(found), model::outcome_of(found.first.audit));
}

TEST(Difference, the_audit_of_every_run_counts) {
  auto firsts = runs_of(2, 1, 1.0, 0.01);
  for (auto& each : firsts) {
    each.audit.is_complete = true;
    each.audit.counters.emplace_back().verdict = model::verdict::agree;
    each.audit.record_count = each.audit.window_count = 1;
  }
  auto seconds = firsts;
  seconds[1].audit.findings.emplace_back().rule = "R04";
  const auto found = attribution::difference_of(std::move(firsts), std::move(seconds));
  EXPECT_EQ(model::outcome_of(found), model::outcome::found);
  EXPECT_EQ(found.runs.back().rules, std::vector<std::string>{"R04"});
}

// 3 and 3: of 20 ways to deal the ranks one has U = 0, one 1, two 2.
TEST(Shift, the_interval_is_that_of_the_rank_sum) {
  const std::vector<std::int64_t> low{1, 2, 3};
  const std::vector<std::int64_t> high{11, 22, 33};
  const auto null = attribution::shift_null(3, 3);
  const auto widest = attribution::shift_between(low, high, null, 0.90);  // 2/20 is left out
  ASSERT_TRUE(widest.is_there);
  EXPECT_EQ(widest.low, 8);
  EXPECT_EQ(widest.high, 32);
  EXPECT_EQ(widest.shift, 20);
  const auto next = attribution::shift_between(low, high, null, 0.80);
  EXPECT_EQ(next.low, 9);
  EXPECT_EQ(next.high, 31);
  EXPECT_FALSE(attribution::shift_between(low, high, null, 0.91).is_there);
  EXPECT_EQ(attribution::runs_needed(0.90), 3u);
  EXPECT_EQ(attribution::runs_needed(0.91), 4u);
  EXPECT_TRUE(attribution::shift_between(std::vector<std::int64_t>(64, 5),
                                         std::vector<std::int64_t>(64, 7),
                                         attribution::shift_null(64, 64), 0.999)
                  .is_there);
}

TEST(Difference, the_middle_of_an_even_number_leans_neither_way) {
  std::vector<std::int64_t> four{10, 0, 10, 0};
  EXPECT_EQ(attribution::middle_of(four), 5);
  std::vector<std::int64_t> three{7, 1, 2};
  EXPECT_EQ(attribution::middle_of(three), 2);
}

// 16 values: ranks 4 and 13 hold the median with 97.9 %, ranks 5 and 12 with 92.3 %.
TEST(Difference, the_interval_of_a_median_is_that_of_the_binomial) {
  std::vector<std::int64_t> values;
  for (std::int64_t at = 16; at > 0; --at) values.push_back(at);
  const auto interval = attribution::interval_of_median(values, 0.95);
  EXPECT_TRUE(interval.is_there);
  EXPECT_EQ(interval.low, 4);
  EXPECT_EQ(interval.high, 13);
  std::vector<std::int64_t> five{1, 2, 3, 4, 5};
  EXPECT_FALSE(attribution::interval_of_median(five, 0.95).is_there);
  std::vector<std::int64_t> many(100'001, 7);
  EXPECT_TRUE(attribution::interval_of_median(many, 0.999).is_there);
}

}  // namespace
}  // namespace assay::attribution_test
