// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this file the audit could take the word of an executor that drops, repeats, halves,
// backdates or reorders what it was asked to do: the counters would agree with a broken judge.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <string>

#include "reports/model/outcome.h"
#include "reports/text/audit_text.h"
#include "tests/selftest/faulty_run.h"

namespace assay::selftest_test {
namespace {

using device::executor_fault;
using device::operation_kind;
using model::verdict;
using telemetry::range;
using id = telemetry::counter_id;

constexpr std::uint64_t once = 1'000'000;

// One place where a fault strikes. The run survives each: what it computes is wrong, but finite.
struct strike {
  const char* name;
  operation_kind kind;
  telemetry::range of;
  std::uint64_t first;
  std::uint64_t every;
};

// One struck operation is the hardest to see; the ordinals lie inside the load and the requests.
constexpr std::array strikes{
    strike{"a weight copy", operation_kind::copy, range::weights, 5, once},
    strike{"every weight copy", operation_kind::copy, range::weights, 0, 1},
    strike{"an input copy", operation_kind::copy, range::inputs, 5, once},
    strike{"an append", operation_kind::copy, range::kv_append, 100, once},
    strike{"every append", operation_kind::copy, range::kv_append, 0, 1},
    strike{"a kernel", operation_kind::launch, range::compute, 300, once},
    strike{"each 50th kernel", operation_kind::launch, range::compute, 7, 50},
    strike{"a logits copy", operation_kind::copy, range::logits, 5, once},
};

struct named_fault {
  const char* name;
  executor_fault fault;
};

constexpr std::array faults{
    named_fault{"drop", executor_fault::drop},
    named_fault{"run twice", executor_fault::run_twice},
    named_fault{"copy half", executor_fault::copy_half},
    named_fault{"stamp at enqueue", executor_fault::stamp_at_enqueue},
    named_fault{"reorder", executor_fault::reorder},
};

device::fault_plan plan_of(const strike& where, executor_fault fault) {
  return {.fault = fault,
          .kind = where.kind,
          .range = label(where.of),
          .first = where.first,
          .every = where.every};
}

void print_row(const char* fault, const char* where, const faulty_run& run) {
  std::printf("%-17s %-18s struck %3lu of %3lu: %2zu agree, %zu disagree, %2zu undecided\n", fault,
              where, run.count.struck, run.count.matched, count_of(run.report, verdict::agree),
              count_of(run.report, verdict::disagree), count_of(run.report, verdict::undecided));
}

void expect_none_agrees(const faulty_run& run, const std::vector<id>& touched) {
  for (const id counter : touched) {
    const model::counter_line& line = line_of(run.report, counter);
    EXPECT_NE(line.verdict, verdict::agree) << line.name << '\n'
                                            << reports::audit_as_text(run.report);
  }
}

// Amounts of other work, and what no device did at all, are as well known as before. Times may
// change, because an operation more or less is somebody's time. Order is a matter of neighbours,
// and of what ran twice only the claims say where it belongs: there sums over records are in doubt,
// too.
std::vector<id> untouched_by(const device::fault_plan& plan) {
  std::vector<id> rest{
      id::checkpoint_file_bytes,    id::checkpoint_tensor_bytes, id::arena_peak_bytes,
      id::arena_allocations_count,  id::kv_allocated_pages,      id::tokenizer_encoded_bytes,
      id::tokenizer_encoded_tokens, id::tokenizer_decoded_bytes, id::device_syncs_count};
  // Where no weight arrives, the look at the embedding finds it missing, and no device record is
  // believed.
  const bool is_device_doubted = plan.fault == executor_fault::drop && plan.every == 1 &&
                                 plan.range == static_cast<device::range_label>(range::weights);
  if (is_device_doubted)
    return {id::checkpoint_file_bytes,   id::checkpoint_tensor_bytes,  id::kv_allocated_pages,
            id::tokenizer_encoded_bytes, id::tokenizer_encoded_tokens, id::tokenizer_decoded_bytes};
  std::vector<id> others;
  if (plan.fault == executor_fault::run_twice)
    others = {id::weights_h2d_bytes, id::inputs_h2d_bytes, id::compute_launches_count,
              id::kv_append_bytes, id::logits_d2h_bytes};
  if (plan.fault == executor_fault::drop || plan.fault == executor_fault::copy_half)
    others = {id::weights_h2d_bytes,    id::inputs_h2d_bytes,     id::compute_launches_count,
              id::compute_weight_bytes, id::kv_append_bytes,      id::logits_d2h_bytes,
              id::kv_capacity_pages,    id::sampling_draws_count, id::engine_prompt_tokens};
  const auto touched = touched_by(plan);
  for (const id counter : others)
    if (std::find(touched.begin(), touched.end(), counter) == touched.end())
      rest.push_back(counter);
  return rest;
}

void expect_each_agrees(const faulty_run& run, const std::vector<id>& untouched) {
  for (const id counter : untouched)
    EXPECT_EQ(line_of(run.report, counter).verdict, verdict::agree)
        << name_of(counter) << ": " << line_of(run.report, counter).reason;
}

// An event that was dropped leaves nothing to read: the run ends with an error, and no report.
TEST(FaultyExecutor, that_drops_an_event_ends_the_run) {
  const auto run = run_with(
      plan_of({"", operation_kind::event_record, range::compute, 4, once}, executor_fault::drop));
  ASSERT_TRUE(run.failure.has_value());
  EXPECT_NE(run.failure->find("is not reached yet"), std::string::npos) << *run.failure;
}

TEST(FaultyExecutor, without_a_fault_is_judged_as_any_other) {
  const faulty_run run = run_with({});
  ASSERT_FALSE(run.failure.has_value()) << *run.failure;
  print_row("none", "nothing", run);
  const auto is_accepted = [](const model::counter_line& line) {
    return line.verdict == verdict::agree || line.verdict == verdict::unmeasured;
  };
  for (const model::counter_line& line : run.report.counters)
    EXPECT_TRUE(is_accepted(line)) << line.name << '\n' << reports::audit_as_text(run.report);
  EXPECT_GE(count_of(run.report, verdict::agree), 46u);
}

class StruckBy : public ::testing::TestWithParam<named_fault> {};

TEST_P(StruckBy, leaves_nothing_touched_that_agrees) {
  for (const strike& where : strikes) {
    const device::fault_plan plan = plan_of(where, GetParam().fault);
    if (plan.fault == executor_fault::copy_half && where.kind != operation_kind::copy) continue;
    SCOPED_TRACE(std::string(GetParam().name) + " " + where.name);
    const faulty_run run = run_with(plan);
    ASSERT_FALSE(run.failure.has_value()) << *run.failure;
    EXPECT_GE(run.count.struck, 1u);
    print_row(GetParam().name, where.name, run);
    expect_none_agrees(run, touched_by(plan));
    expect_each_agrees(run, untouched_by(plan));
  }
}

// Events make the brackets of the timed counters. Of each step's first event, on a stream that
// stands still, nobody can tell when it was reached, so the kernels' pair is struck.
TEST_P(StruckBy, leaves_no_bracket_that_agrees) {
  const device::fault_plan plan =
      plan_of({"", operation_kind::event_record, range::compute, 0, 1}, GetParam().fault);
  if (plan.fault == executor_fault::drop || plan.fault == executor_fault::copy_half)
    GTEST_SKIP() << "the run ends with an error, or nothing is copied";
  const faulty_run run = run_with(plan);
  ASSERT_FALSE(run.failure.has_value()) << *run.failure;
  print_row(GetParam().name, "every kernel event", run);
  expect_none_agrees(run, touched_by(plan));
  expect_each_agrees(run, {id::checkpoint_file_bytes, id::weights_h2d_bytes, id::arena_peak_bytes,
                           id::tokenizer_encoded_bytes, id::kv_allocated_pages});
}

// A device that cannot be trusted with a known answer is trusted with nothing.
TEST_P(StruckBy, is_not_believed_after_a_wrong_sentinel) {
  const device::fault_plan plan =
      plan_of({"", operation_kind::launch, range::sentinel, 0, 1}, GetParam().fault);
  if (plan.fault == executor_fault::copy_half) GTEST_SKIP() << "a kernel copies nothing";
  const faulty_run run = run_with(plan);
  ASSERT_FALSE(run.failure.has_value()) << *run.failure;
  print_row(GetParam().name, "sentinel kernels", run);
  for (const model::counter_line& line : run.report.counters) {
    const bool is_device = std::any_of(
        line.references.begin(), line.references.end(),
        [](const auto& by) { return by.source == "device records" || by.source == "events"; });
    EXPECT_FALSE(is_device && line.verdict == verdict::agree) << line.name;
  }
  expect_each_agrees(
      run, {id::checkpoint_file_bytes, id::tokenizer_encoded_bytes, id::kv_allocated_pages});
}

INSTANTIATE_TEST_SUITE_P(Each, StruckBy, ::testing::ValuesIn(faults), [](const auto& fault) {
  std::string name = fault.param.name;
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
});

}  // namespace
}  // namespace assay::selftest_test
