// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without these, an operator could be held against the wrong roof, a rate be drawn that nobody
// measured, or a plan without operations look like operators that do none.
#include "harness/attribution/roofline.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/attribution/planted_trace.h"

namespace assay::attribution_test {
namespace {

using attribution::ridge_of;
using attribution::roof_at;
using model::roof_bound;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(Roof, is_the_lower_of_reads_and_arithmetic) {
  // 10 bytes and 40 operations a second: they meet at 4 operations a byte.
  EXPECT_EQ(ridge_of(10.0, 40.0), 4.0);
  EXPECT_EQ(roof_at(0.5, 10.0, 40.0).operations_per_s, 5.0);
  EXPECT_EQ(roof_at(0.5, 10.0, 40.0).bound, roof_bound::reads);
  EXPECT_EQ(roof_at(4.0, 10.0, 40.0).operations_per_s, 40.0);
  EXPECT_EQ(roof_at(4.0, 10.0, 40.0).bound, roof_bound::reads);
  EXPECT_EQ(roof_at(4.1, 10.0, 40.0).operations_per_s, 40.0);
  EXPECT_EQ(roof_at(4.1, 10.0, 40.0).bound, roof_bound::arithmetic);
}

TEST(Roof, does_not_exist_where_one_of_its_parts_does_not) {
  for (const auto& [intensity, reads, arithmetic] :
       {std::array{0.0, 10.0, 40.0}, {2.0, 0.0, 40.0}, {2.0, 10.0, 0.0}}) {
    EXPECT_EQ(roof_at(intensity, reads, arithmetic).bound, roof_bound::none);
    EXPECT_EQ(roof_at(intensity, reads, arithmetic).operations_per_s, 0.0);
  }
  EXPECT_EQ(ridge_of(0.0, 40.0), 0.0);
  EXPECT_EQ(ridge_of(10.0, 0.0), 0.0);
}

// Two operators of 1,000 ns each step: one reads 4,000 B for 8,000 operations, the other 64 B and
// 32 B a token of the context for 128,000 operations and 640 a token.
constexpr const char* planned_step =
    R"({"step_plan":[{"operator":"light","weight_bytes":4000,"reads_kv":false,"products":)"
    R"({"by":"f32_fma","operations":8000,"operations_per_context_token":0,)"
    R"("kv_bytes_per_context_token":0}},)"
    R"({"operator":"heavy","weight_bytes":64,"reads_kv":true,"products":)"
    R"({"by":"f32_fma","operations":128000,"operations_per_context_token":640,)"
    R"("kv_bytes_per_context_token":32}}],)"
    R"("requests":[{"prompt_tokens":9,"prefill_operations":6000000,"prefill_bytes":30000,"prefill_by":"f32_fma"}],)"
    R"("arithmetic":[{"by":"f32_fma","operations_per_s":1e11,"samples":3,"reason":"planted"}]})";

// `tells_kv`: each step's second launch says what of KV it read; -1: no launch says anything. It is
// called `apart_ns` after the first: at 0 it begins 100 ns after the first did.
planted_trace roofline_trace(std::int64_t tells_kv, std::int64_t length_ns = 1'000,
                             std::int64_t apart_ns = 2'000) {
  planted_trace trace;
  trace.facts = planned_step;
  trace.begin(ASSAY_WINDOW_REQUEST, 0);
  trace.begin(ASSAY_WINDOW_PREFILL, 0);
  trace.work(ASSAY_OP_LAUNCH, ASSAY_H2D, 10, 100'000, 0, tells_kv < 0 ? 0 : 60'000);
  trace.wait(200'000);
  trace.end(ASSAY_WINDOW_PREFILL, 0);
  for (std::uint64_t step = 0; step < 2; ++step) {
    trace.begin(ASSAY_WINDOW_DECODE_STEP, step);
    for (const std::int64_t weights : {4'000, 64}) {
      trace.work(ASSAY_OP_LAUNCH, ASSAY_H2D, 10, length_ns, 0, tells_kv < 0 ? 0 : weights);
      if (weights == 64 && tells_kv >= 0) trace.records.back().extra[2] = tells_kv;
      trace.wait(weights == 64 ? 2'000 : apart_ns);
    }
    trace.end(ASSAY_WINDOW_DECODE_STEP, step);
  }
  trace.end(ASSAY_WINDOW_REQUEST, 0);
  return trace;
}

// What a run measured of reads stands in its bandwidths: of this trace, by hand.
model::roofline roof_of(const model::investigation& report, double read_bytes_per_s = 1e10,
                        const std::vector<trace::arithmetic_ceiling>& ceilings = {
                            {telemetry::arithmetic::f32_fma, 1e11, 3, "planted"}}) {
  model::investigation held = report;
  held.bandwidths.clear();
  model::bandwidth_line reads;
  reads.is_read = true;
  reads.soft_bytes_per_s = read_bytes_per_s;
  held.bandwidths.push_back(reads);
  return attribution::roofline_of(
      held, ceilings, {{telemetry::arithmetic::f32_fma, 1, 6'000'000, 30'000, 100'000, 100'000}});
}

model::roofline_point all_of_decode(const model::roofline& roof) {
  const auto found = std::find_if(roof.points.begin(), roof.points.end(), [](const auto& each) {
    return each.is_total && !each.is_prefill;
  });
  EXPECT_NE(found, roof.points.end());
  return found == roof.points.end() ? model::roofline_point{} : *found;
}

model::roofline_point point_named(const model::roofline& roof, const std::string& op) {
  const auto found = std::find_if(roof.points.begin(), roof.points.end(),
                                  [&](const auto& each) { return each.which.op == op; });
  EXPECT_NE(found, roof.points.end()) << op;
  return found == roof.points.end() ? model::roofline_point{} : *found;
}

TEST(Roofline, one_operator_is_bound_by_reads_and_one_by_arithmetic) {
  // 320 and 352 B of KV: contexts of 10 and 11 tokens, told at 10 in both.
  const auto found = roofline_trace(320).investigate();
  ASSERT_EQ(found.decode.named_passes, 2u);
  const model::roofline roof = roof_of(found);
  const auto light = point_named(roof, "light");
  EXPECT_EQ(light.operations.integer, 16'000);
  EXPECT_EQ(light.ledger_bytes.integer, 8'000);
  EXPECT_EQ(light.told_bytes.integer, 8'000);
  EXPECT_DOUBLE_EQ(light.ledger_intensity.real, 2.0);
  EXPECT_DOUBLE_EQ(light.operations_per_s.real, 8e9);  // 8,000 in 1 µs
  EXPECT_DOUBLE_EQ(light.roof_operations_per_s.real, 2e10);
  EXPECT_DOUBLE_EQ(light.roof_ratio.real, 0.4);
  EXPECT_EQ(light.bound, roof_bound::reads);
  const auto heavy = point_named(roof, "heavy");
  // 2 · 128,000 + 640 · (10 + 11): the plan's contexts, whatever was told.
  EXPECT_EQ(heavy.operations.integer, 269'440);
  EXPECT_EQ(heavy.ledger_bytes.integer, 2 * 64 + 32 * 21);
  EXPECT_EQ(heavy.told_bytes.integer, 2 * 64 + 2 * 320);
  EXPECT_DOUBLE_EQ(heavy.ledger_intensity.real, 269'440.0 / 800.0);
  EXPECT_DOUBLE_EQ(heavy.told_intensity.real, 269'440.0 / 768.0);
  EXPECT_EQ(heavy.bound, roof_bound::arithmetic);
  EXPECT_DOUBLE_EQ(heavy.roof_operations_per_s.real, 1e11);
  EXPECT_DOUBLE_EQ(heavy.roof_ratio.real, 269'440.0 / 2e-6 / 1e11);
  ASSERT_EQ(roof.arithmetic.size(), 1u);
  EXPECT_DOUBLE_EQ(roof.arithmetic[0].ridge_intensity.real, 10.0);
}

TEST(Roofline, prefill_is_held_against_arithmetic_as_a_whole) {
  const model::roofline roof = roof_of(roofline_trace(320).investigate());
  const model::roofline_point& all = roof.points.back();
  ASSERT_TRUE(all.is_prefill);
  EXPECT_EQ(all.told_bytes.integer, 60'000);
  EXPECT_DOUBLE_EQ(all.told_intensity.real, 100.0);
  EXPECT_DOUBLE_EQ(all.operations_per_s.real, 6e10);
  EXPECT_DOUBLE_EQ(all.roof_ratio.real, 0.6);
  EXPECT_EQ(all.bound, roof_bound::arithmetic);
}

TEST(Roofline, a_prefill_is_counted_once_and_in_the_time_that_a_kernel_ran) {
  const auto found = roofline_trace(320).investigate();
  ASSERT_FALSE(found.roof.points.empty());
  const model::roofline_point& all = found.roof.points.back();
  EXPECT_TRUE(all.is_prefill);
  EXPECT_EQ(all.launches, 1u);
  EXPECT_EQ(all.operations.integer, 6'000'000);
  EXPECT_EQ(all.ledger_bytes.integer, 30'000);
  EXPECT_EQ(all.busy_ns, 100'000);
}

TEST(Roofline, decode_is_held_under_it_as_a_whole) {
  const auto all = all_of_decode(roof_of(roofline_trace(320).investigate()));
  EXPECT_EQ(all.launches, 2u);
  EXPECT_EQ(all.passes, 2u);
  EXPECT_EQ(all.busy_ns, 4'000);
  EXPECT_EQ(all.lengths_ns, 4'000);
  EXPECT_EQ(all.operations.integer, 16'000 + 269'440);
  EXPECT_EQ(all.ledger_bytes.integer, 8'000 + 800);
  EXPECT_EQ(all.told_bytes.integer, 8'000 + 768);
  EXPECT_DOUBLE_EQ(all.told_intensity.real, 285'440.0 / 8'768.0);
  EXPECT_DOUBLE_EQ(all.operations_per_s.real, 7.136e10);
  EXPECT_DOUBLE_EQ(all.roof_ratio.real, 0.7136);
  EXPECT_EQ(all.bound, roof_bound::arithmetic);
  EXPECT_FALSE(all.is_by_several);
}

TEST(Roofline, launches_that_overlap_count_an_instant_once) {
  const auto roof = roof_of(roofline_trace(320, 1'000, 0).investigate());
  const auto all = all_of_decode(roof);
  EXPECT_EQ(all.busy_ns, 2 * 1'100);
  EXPECT_EQ(all.lengths_ns, 2 * 2'000);
  EXPECT_DOUBLE_EQ(all.operations_per_s.real, 285'440.0 / 2.2e-6);
  EXPECT_EQ(point_named(roof, "light").busy_ns, 2'000);
}

// A launch that outlasts its step overlaps none.
TEST(Roofline, lengths_are_cut_to_the_step_as_their_union_is) {
  planted_trace trace = roofline_trace(320);
  for (assay_record& each : trace.records)
    if (each.kind == ASSAY_ACTIVITY && each.extra[1] == 64) each.end_ns += 10'000;
  const auto all = all_of_decode(trace.investigate().roof);
  EXPECT_EQ(all.busy_ns, 2 * (1'000 + 1'990));
  EXPECT_EQ(all.lengths_ns, all.busy_ns);
}

TEST(Roofline, a_step_that_the_plan_does_not_name_is_no_part_of_decode) {
  planted_trace trace = roofline_trace(320);
  trace.begin(ASSAY_WINDOW_DECODE_STEP, 2);
  trace.work(ASSAY_OP_LAUNCH, ASSAY_H2D, 10, 5'000, 0, 9'000);
  trace.wait(6'000);
  trace.end(ASSAY_WINDOW_DECODE_STEP, 2);
  const auto found = trace.investigate();
  ASSERT_EQ(found.decode.passes, 3u);
  const auto all = all_of_decode(found.roof);
  EXPECT_EQ(all.launches, 2u);
  EXPECT_EQ(all.passes, 3u) << "or it is told as all of decode";
  EXPECT_EQ(all.busy_ns, 4'000);
  EXPECT_EQ(all.told_bytes.integer, 8'768);
}

TEST(Roofline, what_records_tell_of_some_launches_is_not_what_decode_read) {
  planted_trace trace = roofline_trace(320);
  for (const std::int64_t of_the_first_step : {4'000, 64}) {
    const auto told =
        std::find_if(trace.records.begin(), trace.records.end(),
                     [&](const assay_record& each) { return each.extra[1] == of_the_first_step; });
    ASSERT_NE(told, trace.records.end());
    told->extra[1] = told->extra[2] = 0;
  }
  const auto all = all_of_decode(roof_of(trace.investigate()));
  EXPECT_THAT(all.told_bytes.absence, HasSubstr("some of its launches"));
  EXPECT_DOUBLE_EQ(all.intensity().real, 285'440.0 / 8'800.0);
}

TEST(Roofline, several_kinds_of_arithmetic_are_held_against_reads_or_nothing) {
  using telemetry::arithmetic;
  planted_trace trace = roofline_trace(320);
  const std::size_t heavy = trace.facts.find("f32_fma", trace.facts.find("heavy"));
  trace.facts.replace(heavy, 7, "bf16_tensor");
  const auto found = trace.investigate();
  const auto under = [&](double bf16_per_s) {
    return all_of_decode(roof_of(found, 1e10,
                                 {{arithmetic::f32_fma, 1e11, 3, "planted"},
                                  {arithmetic::bf16_tensor, bf16_per_s, 3, "planted"}}));
  };
  // Reads take 876.8 ns; 16,000 operations at 1e11 take 160 ns, 269,440 at 1e13 27 ns.
  const auto by_reads = under(1e13);
  EXPECT_TRUE(by_reads.is_by_several);
  EXPECT_EQ(by_reads.bound, roof_bound::reads);
  EXPECT_DOUBLE_EQ(by_reads.roof_operations_per_s.real, 1e10 * 285'440.0 / 8'768.0);
  EXPECT_DOUBLE_EQ(by_reads.roof_ratio.real, 0.2192);
  // At 3.5e11 they take 770 ns: neither kind outlasts the reads alone, both by turns do.
  for (const double slow : {3.5e11, 1e11}) {
    const auto open = under(slow);
    EXPECT_EQ(open.bound, roof_bound::none) << slow;
    EXPECT_THAT(open.roof_ratio.absence, HasSubstr("several kinds")) << slow;
    EXPECT_FALSE(open.roof_operations_per_s.is_present) << slow;
    EXPECT_TRUE(open.operations_per_s.is_present) << slow;
  }
  EXPECT_THAT(all_of_decode(roof_of(found)).roof_ratio.absence, HasSubstr("this arithmetic"));
}

// Or the kind that came last would stand for both.
TEST(Roofline, one_operator_by_several_kinds_of_arithmetic_is_held_likewise) {
  using telemetry::arithmetic;
  planted_trace trace = roofline_trace(-1);
  const std::size_t heavy = trace.facts.find("heavy");
  trace.facts.replace(trace.facts.find("f32_fma", heavy), 7, "bf16_tensor");
  trace.facts.replace(heavy, 5, "light");
  const auto found = trace.investigate();
  const auto under = [&](double bf16_per_s) {
    return point_named(roof_of(found, 1e10,
                               {{arithmetic::f32_fma, 1e11, 3, "planted"},
                                {arithmetic::bf16_tensor, bf16_per_s, 3, "planted"}}),
                       "light");
  };
  const auto by_reads = under(1e13);
  EXPECT_EQ(by_reads.launches, 4u);
  EXPECT_EQ(by_reads.operations.integer, 285'440);
  EXPECT_TRUE(by_reads.is_by_several);
  EXPECT_EQ(by_reads.bound, roof_bound::reads);
  EXPECT_THAT(under(1e11).roof_ratio.absence, HasSubstr("several kinds"));
}

// As on a GPU: bytes are the ledger's, the context's included.
TEST(Roofline, where_no_record_tells_bytes_the_ledgers_are_taken) {
  const auto found = roofline_trace(-1).investigate();
  const auto heavy = point_named(roof_of(found), "heavy");
  EXPECT_FALSE(heavy.told_intensity.is_present);
  EXPECT_THAT(heavy.told_bytes.absence, HasSubstr("no record"));
  EXPECT_DOUBLE_EQ(heavy.intensity().real, 269'440.0 / 800.0);
  EXPECT_TRUE(heavy.roof_ratio.is_present);
  EXPECT_THAT(found.blind_spots, Not(Contains(HasSubstr("How many bytes of KV"))));
  EXPECT_DOUBLE_EQ(roof_of(found).points.back().intensity().real, 200.0);
}

TEST(Roofline, without_a_plan_of_requests_the_told_kv_says_the_context) {
  planted_trace trace = roofline_trace(320);
  const std::size_t at = trace.facts.find(R"("requests")");
  trace.facts.erase(at, trace.facts.find("],", at) + 2 - at);
  const auto heavy = point_named(trace.investigate().roof, "heavy");
  EXPECT_EQ(heavy.operations.integer, 2 * (128'000 + 640 * 10));
  planted_trace untold = roofline_trace(-1);
  untold.facts = trace.facts;
  const auto open = point_named(untold.investigate().roof, "heavy");
  EXPECT_THAT(open.operations.absence, HasSubstr("tells no context"));
}

TEST(Roofline, without_operations_it_has_none_and_the_report_says_so) {
  planted_trace trace = roofline_trace(320);
  trace.facts = R"({"step_plan":[{"operator":"light","weight_bytes":4000,"reads_kv":false},)"
                R"({"operator":"heavy","weight_bytes":64,"reads_kv":true}]})";
  const auto found = trace.investigate();
  ASSERT_EQ(found.decode.named_passes, 2u);
  EXPECT_THAT(point_named(found.roof, "light").operations.absence, HasSubstr("no operations"));
  EXPECT_FALSE(point_named(found.roof, "light").roof_ratio.is_present);
  EXPECT_THAT(found.blind_spots, Contains(HasSubstr("the trace plans no operations")));
  const auto planned = roofline_trace(320).investigate();
  EXPECT_THAT(planned.blind_spots, Not(Contains(HasSubstr("the trace plans no operations"))));
  EXPECT_THAT(planned.blind_spots, Contains(HasSubstr("the plan counts products alone")));
}

TEST(Roofline, a_missing_ceiling_is_a_reason_and_no_roof) {
  const auto found = roofline_trace(320).investigate();
  // No link was probed in this trace.
  EXPECT_THAT(point_named(found.roof, "light").roof_ratio.absence, HasSubstr("ceiling of reads"));
  EXPECT_THAT(found.blind_spots, Contains(HasSubstr("How near to its roof was")));
  EXPECT_EQ(point_named(found.roof, "light").bound, roof_bound::none);
  const auto without = attribution::roofline_of(found, {}, {});
  EXPECT_THAT(point_named(without, "light").roof_ratio.absence, HasSubstr("this arithmetic"));
  const auto unmeasured = attribution::roofline_of(
      found, {{telemetry::arithmetic::f32_fma, 0.0, 0, "nobody was there"}}, {});
  EXPECT_EQ(point_named(unmeasured, "light").roof_ratio.absence, "nobody was there");
  EXPECT_EQ(unmeasured.arithmetic[0].ridge_intensity.absence, "nobody was there");
}

TEST(Roofline, no_time_gives_no_rate) {
  const model::roofline roof = roof_of(roofline_trace(320, 0).investigate());
  const auto light = point_named(roof, "light");
  EXPECT_EQ(light.operations_per_s.absence, "the time is 0");
  EXPECT_FALSE(light.roof_ratio.is_present);
  EXPECT_TRUE(light.roof_operations_per_s.is_present);
}

TEST(Roofline, an_operator_without_products_has_no_place_on_it) {
  planted_trace trace = roofline_trace(320);
  trace.facts.replace(trace.facts.find("8000"), 4, "0000");
  trace.facts.replace(trace.facts.find("0000"), 4, "0");
  const auto light = point_named(roof_of(trace.investigate()), "light");
  EXPECT_EQ(light.operations.integer, 0);
  EXPECT_EQ(light.operations_per_s.absence, "it has no products");
  EXPECT_EQ(light.bound, roof_bound::none);
}

TEST(Roofline, a_prefill_that_nobody_planned_is_not_counted_as_one_of_all) {
  planted_trace trace = roofline_trace(320);
  trace.begin(ASSAY_WINDOW_REQUEST, 1);
  trace.begin(ASSAY_WINDOW_PREFILL, 0);
  trace.work(ASSAY_OP_LAUNCH, ASSAY_H2D, 10, 100'000, 0, 60'000);
  trace.wait(200'000);
  trace.end(ASSAY_WINDOW_PREFILL, 0);
  trace.end(ASSAY_WINDOW_REQUEST, 1);
  const auto found = trace.investigate();
  EXPECT_EQ(found.roof.points.back().launches, 1u);
  EXPECT_EQ(found.roof.points.back().passes, 2u);
  EXPECT_THAT(found.blind_spots, Contains(HasSubstr("arithmetic 1 prefill did")));
}

// The context of the plan is not the one of which KV was read: then neither are the operations.
TEST(Roofline, kv_that_records_tell_otherwise_than_planned_is_said) {
  const auto wrong = roofline_trace(32'000).investigate();
  EXPECT_THAT(wrong.blind_spots, Contains(HasSubstr("Whether heavy did what was planned")));
  planted_trace right = roofline_trace(320);
  for (std::size_t at = right.records.size(); at-- > 0;)
    if (right.records[at].extra[2] == 320) {
      right.records[at].extra[2] = 352;
      break;
    }
  EXPECT_THAT(right.investigate().blind_spots, Not(Contains(HasSubstr("did what was planned"))));
}

// Numbers out of a file may be anything: they stop at the end of the range.
TEST(Roofline, huge_plans_do_not_wrap) {
  planted_trace trace = roofline_trace(320);
  trace.facts.replace(trace.facts.find(":640,"), 5, ":4611686018427387904,");
  trace.facts.replace(trace.facts.find(":9,"), 3, ":4611686018427387904,");
  const auto heavy = point_named(trace.investigate().roof, "heavy");
  EXPECT_FALSE(heavy.operations.is_present) << "what does not fit is no figure";
  EXPECT_THAT(heavy.roof_ratio.absence, HasSubstr("more than is counted"));
}

}  // namespace
}  // namespace assay::attribution_test
