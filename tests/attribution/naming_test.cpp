// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without these, time could be charged to an operator that a plan of another model names, a GPU's
// launches would have no names and no bytes at all, or a graph's call would be counted once for
// each of its kernels.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/attribution/step_difference.h"
#include "tests/attribution/planted_trace.h"

namespace assay::attribution_test {
namespace {

constexpr const char* three_operators =
    R"({"cache_bytes":100,"step_plan":[)"
    R"({"operator":"norm_qkv","weight_bytes":1000,"reads_kv":false},)"
    R"({"operator":"attention","weight_bytes":64,"reads_kv":true},)"
    R"({"operator":"head","weight_bytes":4000,"reads_kv":false}]})";

// A step as a GPU's trace has it: one call, and behind it the kernels of its graph, which tell
// their blocks alone.
void graph_step(planted_trace& trace, std::uint64_t index, std::vector<std::int64_t> lengths_ns) {
  trace.begin(ASSAY_WINDOW_DECODE_STEP, index);
  trace.work(ASSAY_OP_LAUNCH, ASSAY_H2D, 50, 1);
  const assay_record kernel = trace.records.back();
  trace.records.pop_back();
  trace.records.back().flags = ASSAY_SPLIT;
  trace.records.back().amount = static_cast<std::int64_t>(lengths_ns.size());
  std::int64_t at_ns = kernel.start_ns;
  for (const std::int64_t length_ns : lengths_ns) {
    assay_record each = kernel;
    each.start_ns = at_ns;
    each.end_ns = at_ns + length_ns;
    each.extra[0] = 8;
    trace.records.push_back(each);
    at_ns += length_ns;
  }
  trace.wait(at_ns - trace.now_ns + 10);
  trace.end(ASSAY_WINDOW_DECODE_STEP, index);
}

const model::launch_line* line_of_operator(const model::investigation& in, const std::string& op) {
  const auto& all = in.decode.launches;
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const auto& each) { return each.which.op == op; });
  return found == all.end() ? nullptr : &*found;
}

bool is_any_named(const model::investigation& in) {
  return std::any_of(in.decode.launches.begin(), in.decode.launches.end(),
                     [](const auto& each) { return !each.which.op.empty(); });
}

TEST(Naming, launches_of_a_graph_have_the_plans_names_and_bytes) {
  planted_trace trace;
  trace.facts = three_operators;
  for (std::uint64_t step = 0; step < 5; ++step) graph_step(trace, step, {700, 300, 2'000});
  const auto found = trace.investigate();
  EXPECT_EQ(found.decode.named_passes, 5u);
  EXPECT_EQ(found.planned_launches, 3u);
  EXPECT_EQ(found.cache_bytes, 100);
  ASSERT_EQ(found.decode.launches.size(), 3u);
  const auto* head = line_of_operator(found, "head");
  ASSERT_NE(head, nullptr);
  EXPECT_EQ(head->launches, 5u);
  EXPECT_EQ(head->busy_ns, 10'000);
  EXPECT_EQ(head->planned_weight_bytes, 20'000);
  EXPECT_FALSE(head->has_planned_kv);
  EXPECT_EQ(head->weight_bytes, 0);
  ASSERT_NE(line_of_operator(found, "attention"), nullptr);
  EXPECT_TRUE(line_of_operator(found, "attention")->has_planned_kv);
  EXPECT_EQ(line_of_operator(found, "attention")->on_path_ns, 1'500);
  // One call a step, whatever it submits, and no part of it any launch's.
  EXPECT_EQ(found.decode.graph_calls, 5u);
  EXPECT_EQ(found.decode.graph_call_ns, 5 * planted_trace::call_ns);
  EXPECT_EQ(head->calls, 0u);
}

TEST(Naming, a_step_of_another_number_of_launches_is_not_named) {
  planted_trace trace;
  trace.facts = three_operators;
  graph_step(trace, 0, {700, 300, 2'000});
  graph_step(trace, 1, {700, 300});
  const auto found = trace.investigate();
  EXPECT_EQ(found.decode.named_passes, 1u);
  EXPECT_EQ(line_of_operator(found, "head")->launches, 1u);
  EXPECT_EQ(line_of_operator(found, "")->launches, 2u);
  const auto says = [&](const char* words) {
    return std::any_of(found.blind_spots.begin(), found.blind_spots.end(),
                       [&](const auto& each) { return each.find(words) != std::string::npos; });
  };
  EXPECT_TRUE(says("in 1 decode steps"));
  EXPECT_TRUE(says("How many bytes of KV"));
}

void told_step(planted_trace& trace, std::uint64_t index, std::int64_t head_bytes) {
  trace.begin(ASSAY_WINDOW_DECODE_STEP, index);
  for (const auto& [weights, kv] :
       {std::pair<std::int64_t, std::int64_t>{1'000, 0}, {64, 128}, {head_bytes, 0}}) {
    trace.work(ASSAY_OP_LAUNCH, ASSAY_H2D, 10, 500, 0, weights);
    trace.records.back().extra[2] = kv;
    trace.wait(600);
  }
  trace.end(ASSAY_WINDOW_DECODE_STEP, index);
}

TEST(Naming, what_a_launch_tells_must_be_what_was_planned_in_its_place) {
  planted_trace honest;
  honest.facts = three_operators;
  told_step(honest, 0, 4'000);
  const auto named = honest.investigate();
  EXPECT_EQ(named.decode.named_passes, 1u);
  EXPECT_EQ(line_of_operator(named, "norm_qkv")->calls, 1u);
  EXPECT_EQ(line_of_operator(named, "norm_qkv")->call_ns, planted_trace::call_ns);
  EXPECT_EQ(named.decode.graph_calls, 0u);
  planted_trace other;
  other.facts = three_operators;
  told_step(other, 0, 4'001);
  EXPECT_FALSE(is_any_named(other.investigate()));
  planted_trace unplanned;
  told_step(unplanned, 0, 4'000);
  EXPECT_FALSE(is_any_named(unplanned.investigate()));
}

// The kernels of a graph tell no bytes: by their number alone another model's would be the same
// work.
TEST(Naming, steps_of_two_models_are_not_the_same_work) {
  planted_trace one;
  one.facts = three_operators;
  planted_trace other;
  other.facts = three_operators;
  other.facts.replace(other.facts.find("4000"), 4, "4096");
  for (planted_trace* each : {&one, &other})
    for (std::uint64_t step = 0; step < 4; ++step) graph_step(*each, step, {700, 300, 2'000});
  const auto of = [](const planted_trace& first, const planted_trace& second) {
    std::vector<model::investigation> ones;
    std::vector<model::investigation> others;
    ones.push_back(first.investigate(true));
    others.push_back(second.investigate(true));
    return attribution::difference_of(std::move(ones), std::move(others)).aligned_steps;
  };
  EXPECT_EQ(of(one, one), 4u);
  EXPECT_EQ(of(one, other), 0u);
}

// Known answers run within steps as well, and are nobody's operator.
TEST(Naming, a_launch_of_the_harness_takes_no_place_in_the_plan) {
  planted_trace trace;
  trace.facts = three_operators;
  told_step(trace, 0, 4'000);
  constexpr std::uint16_t sentinel_range = 7;
  planted_trace more = trace;
  std::vector<assay_record> own(trace.records.begin() + 4, trace.records.begin() + 6);
  for (assay_record& each : own) {
    each.correlation += 1'000;
    if (each.kind == ASSAY_SUBMISSION) each.range = sentinel_range;
  }
  more.records.insert(more.records.begin() + 4, own.begin(), own.end());
  const auto found = more.investigate();
  ASSERT_EQ(found.decode.named_passes, 1u);
  EXPECT_EQ(line_of_operator(found, "head")->launches, 1u);
}

// A step of 10,000 ns, of which 2,000 are residual at the end.
planted_trace one_step_with(const std::function<void(planted_trace&)>& overheads) {
  planted_trace trace;
  trace.begin(ASSAY_WINDOW_DECODE_STEP, 0);
  trace.wait(8'000);
  trace.pass(2'000);
  overheads(trace);
  trace.end(ASSAY_WINDOW_DECODE_STEP, 0);
  return trace;
}

TEST(Overhead, covers_what_it_covers_of_the_residual_and_counts_no_instant_twice) {
  const planted_trace trace = one_step_with([](planted_trace& to) {
    to.overhead(ASSAY_OVERHEAD_BUFFER_REQUEST, 2'500, 1'000);  // half of it beneath the wait
    to.overhead(ASSAY_OVERHEAD_INSTRUMENTATION, 1'700, 300);   // 100 of it are told already
    to.overhead(ASSAY_OVERHEAD_INSTRUMENTATION, 900, 0);
  });
  const model::pass_total& decode = trace.investigate().decode;
  EXPECT_EQ(decode.residual_ns, 2'000) << "an overhead is no part of the first account";
  EXPECT_EQ(decode.overhead.passes, 1u);
  EXPECT_EQ(decode.overhead.caller_ns, 1'100);
  EXPECT_EQ(decode.overhead.residual_ns, 600);
  EXPECT_EQ(decode.overhead.of_caller.at(ASSAY_OVERHEAD_BUFFER_REQUEST).busy_ns, 1'000);
  EXPECT_EQ(decode.overhead.of_caller.at(ASSAY_OVERHEAD_INSTRUMENTATION).busy_ns, 300);
  EXPECT_EQ(decode.overhead.of_caller.at(ASSAY_OVERHEAD_INSTRUMENTATION).spans, 2u);
}

TEST(Overhead, of_another_thread_takes_nothing_of_the_residual) {
  const planted_trace trace = one_step_with(
      [](planted_trace& to) { to.overhead(ASSAY_OVERHEAD_BUFFER_FLUSH, 1'500, 1'000, false); });
  const model::pass_total& decode = trace.investigate().decode;
  EXPECT_EQ(decode.overhead.caller_ns, 0);
  EXPECT_EQ(decode.overhead.residual_ns, 0);
  EXPECT_EQ(decode.overhead.of_others.at(ASSAY_OVERHEAD_BUFFER_FLUSH).busy_ns, 1'000);
  EXPECT_EQ(decode.overhead.of_caller.at(ASSAY_OVERHEAD_BUFFER_FLUSH).spans, 0u);
}

TEST(Overhead, beyond_its_pass_or_of_an_unknown_kind_is_cut_and_called_other) {
  const planted_trace trace = one_step_with([](planted_trace& to) {
    to.overhead(ASSAY_OVERHEAD_OTHER, 500, 9'000);  // ends after the pass
    to.records.back().op = 200;
    to.overhead(ASSAY_OVERHEAD_RESOURCE, 50'000, 1'000);           // ended before it
    to.overhead(ASSAY_OVERHEAD_RESOURCE, -2'000, -1'000'000'000);  // backwards
  });
  const model::pass_total& decode = trace.investigate().decode;
  EXPECT_EQ(decode.overhead.of_caller.at(ASSAY_OVERHEAD_OTHER).busy_ns, 500);
  EXPECT_EQ(decode.overhead.of_caller.at(ASSAY_OVERHEAD_RESOURCE).spans, 0u);
  EXPECT_EQ(decode.overhead.residual_ns, 500);
}

TEST(Overhead, that_ends_before_it_begins_is_said) {
  const auto found = one_step_with([](planted_trace& to) {
                       to.overhead(ASSAY_OVERHEAD_RESOURCE, 1'000, -500);
                     }).investigate();
  EXPECT_THAT(
      found.blind_spots,
      testing::Contains(testing::HasSubstr("1 overheads of the recorder end before they begin")));
}

TEST(Overhead, of_a_trace_that_tells_none_is_unmeasured_and_not_zero) {
  const planted_trace trace = one_step_with([](planted_trace&) {});
  const model::investigation found = trace.investigate();
  EXPECT_EQ(found.decode.overhead.passes, 0u);
  EXPECT_TRUE(std::any_of(found.blind_spots.begin(), found.blind_spots.end(), [](const auto& each) {
    return each.find("took for itself: no record tells it") != std::string::npos;
  }));
}

}  // namespace
}  // namespace assay::attribution_test
