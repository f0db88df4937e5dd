// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this the rules on ranges, overlaps and coverage could fire a little too early, a little
// too late, or for a reason of their own.
#include <bit>
#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/audit/counter_judge.h"
#include "harness/audit/r01_enqueue_timed.h"
#include "harness/audit/r06_overlap_double_count.h"
#include "harness/audit/r15_coverage.h"
#include "harness/audit/value_range.h"
#include "tests/audit/trace_builder.h"

namespace assay::audit_test {
namespace {

using audit::range_fault;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using integer_limits = std::numeric_limits<std::int64_t>;

range_fault fault(row which, std::int64_t bits, telemetry::value_limits limits = {}) {
  audit::counter_spec spec = audit::specs_of(test_contract())[which];
  spec.limits = limits;
  return audit::fault_of(spec, bits);
}

range_fault rate_fault(double value) {
  return fault(weights_rate, std::bit_cast<std::int64_t>(value));
}

TEST(Range, of_integers_ends_at_the_marks_of_a_missing_value) {
  EXPECT_EQ(fault(live_bytes, -1), range_fault::sentinel);
  EXPECT_EQ(fault(live_bytes, integer_limits::max()), range_fault::sentinel);
  EXPECT_EQ(fault(weights_bytes, integer_limits::min()), range_fault::sentinel);
  // A count that went one back is another rule's, and 2^32 - 1 bytes are possible.
  EXPECT_EQ(fault(weights_bytes, -1), range_fault::none);
  EXPECT_EQ(fault(live_bytes, -2), range_fault::none);
  EXPECT_EQ(fault(live_bytes, 0xffffffff), range_fault::none);
  EXPECT_EQ(fault(live_bytes, 0), range_fault::none);
}

TEST(Range, of_reals_is_finite_and_not_below_zero) {
  EXPECT_EQ(rate_fault(std::nan("")), range_fault::not_finite);
  EXPECT_EQ(rate_fault(INFINITY), range_fault::not_finite);
  EXPECT_EQ(rate_fault(-1.0), range_fault::sentinel);
  EXPECT_EQ(rate_fault(std::numeric_limits<double>::max()), range_fault::sentinel);
  EXPECT_EQ(rate_fault(-0.5), range_fault::below);
  EXPECT_EQ(rate_fault(0.0), range_fault::none);
  EXPECT_EQ(rate_fault(1e18), range_fault::none);
}

TEST(Range, of_a_ratio_is_nought_to_one) {
  audit::counter_spec spec;
  spec.unit = unit::ratio;
  spec.kind = telemetry::counter_kind::ratio;
  const auto of = [&](double value) {
    return audit::fault_of(spec, std::bit_cast<std::int64_t>(value));
  };
  EXPECT_EQ(of(1.0), range_fault::none);
  EXPECT_EQ(of(1.0000001), range_fault::above);
  EXPECT_EQ(of(808'334'905.0), range_fault::above);
  EXPECT_EQ(of(-0.1), range_fault::below);
}

TEST(Range, is_what_the_contract_declares) {
  const telemetry::value_limits limits{2.0, 5.0};
  EXPECT_EQ(fault(live_bytes, 1, limits), range_fault::below);
  EXPECT_EQ(fault(live_bytes, 2, limits), range_fault::none);
  EXPECT_EQ(fault(live_bytes, 5, limits), range_fault::none);
  EXPECT_EQ(fault(live_bytes, 6, limits), range_fault::above);
  EXPECT_EQ(fault(live_bytes, -1, {-4.0, 4.0}), range_fault::none) << "declared, so a value";
}

TEST(Range, of_readings_that_are_no_numbers_is_not_judged) {
  const lie marked{[](std::vector<assay_reading>& r, int) {
                     r[live_bytes] = {-1, ASSAY_LOST, 1};
                   },
                   {}};
  EXPECT_THAT(rules_on(simulate({}, marked).audit(), name_of(live_bytes)), IsEmpty());
}

// A duration whose device work is as given; the device's near reference says span, give or take.
struct timed {
  double claimed_ns;
  double span_ns;
  double busy_ns;
  double sum_ns;
};

audit::counter_evidence timed_counter(const timed& t) {
  audit::counter_evidence made;
  made.spec = audit::specs_of(test_contract())[compute_ns];
  made.claimed_ns = t.claimed_ns;
  made.span_ns = t.span_ns;
  made.busy_ns = t.busy_ns;
  made.sum_ns = t.sum_ns;
  made.span_windows = 1;
  auto& near = audit::reference_of(made, ASSAY_SOURCE_DEVICE_RECORDS, ASSAY_NEAR, true).near;
  near.compare({ASSAY_WINDOW_PREFILL, 0}, {t.claimed_ns, t.span_ns, t.span_ns, 0.0});
  near.finish();
  return made;
}

bool is_summed(const timed& t) {
  return audit::is_overlap_summed(timed_counter(t));
}

// Two streams, 1 ms and 0.8 ms of work, of which 0.6 ms run side by side.
TEST(Overlap, summed_from_two_streams_is_found) {
  EXPECT_TRUE(is_summed({1.8e6, 1.2e6, 1.2e6, 1.8e6}));
  EXPECT_TRUE(is_summed({1.83e6, 1.2e6, 1.2e6, 1.8e6}));
  EXPECT_FALSE(is_summed({1.85e6, 1.2e6, 1.2e6, 1.8e6})) << "no sum of anything";
  EXPECT_FALSE(is_summed({1.2e6, 1.2e6, 1.2e6, 1.8e6})) << "the union, and true";
}

TEST(Overlap, of_a_whole_and_its_parts_is_found) {
  EXPECT_TRUE(is_summed({2.3e6, 1.2e6, 1.1e6, 1.1e6}));
  EXPECT_FALSE(is_summed({1.1e6, 1.2e6, 1.1e6, 1.1e6})) << "parts that follow each other";
  EXPECT_FALSE(is_summed({2.0e6, 1.2e6, 1.1e6, 1.1e6}));
}

// Two brackets may be off by 2 us: R05 keeps what is shorter than four times that.
TEST(Overlap, is_not_told_of_a_time_that_brackets_may_double) {
  EXPECT_TRUE(is_summed({16'200, 8'100, 8'100, 8'100}));
  EXPECT_FALSE(is_summed({15'800, 7'900, 7'900, 7'900}));
}

TEST(Overlap, is_no_wrong_duration_besides) {
  const lie summed{[](std::vector<assay_reading>& r, int) { scale(r[compute_ns], 1.994); }, {}};
  const auto report = simulate({}, summed).audit();
  EXPECT_THAT(rules_on(report, name_of(compute_ns)), ElementsAre("R06")) << text_of(report);
  EXPECT_THAT(report.findings[0].message, HasSubstr("a whole and the parts within it"));
  const lie less{[](std::vector<assay_reading>& r, int) { scale(r[compute_ns], 1.9); }, {}};
  EXPECT_THAT(rules_on(simulate({}, less).audit(), name_of(compute_ns)), ElementsAre("R05"));
}

TEST(Overlap, does_not_judge_times_that_are_in_doubt) {
  auto doubted = timed_counter({1.8e6, 1.2e6, 1.2e6, 1.8e6});
  doubted.references.front().void_reason = "R18";
  EXPECT_FALSE(audit::is_overlap_summed(doubted));
}

// Ten steps of 1 ms that 50 us enqueue, and a pass of 6 ms whose hundreds of calls take 40 ms.
TEST(EnqueueTimed, steps_are_found_beside_a_pass_that_takes_longer_to_enqueue_than_to_run) {
  const auto claiming = [](double step_ns, double pass_ns) {
    auto made = timed_counter({10 * step_ns + pass_ns, 16e6, 16e6, 16e6});
    made.submitted[ASSAY_WINDOW_PREFILL] = {1, pass_ns, 6e6, 20e6, 40e6};
    made.submitted[ASSAY_WINDOW_DECODE_STEP] = {10, 10 * step_ns, 10e6, 0.5e6, 0.5e6};
    return made;
  };
  EXPECT_TRUE(audit::is_enqueue_timed(claiming(50e3, 40e6)));
  EXPECT_FALSE(audit::is_enqueue_timed(claiming(1e6, 41e6))) << "both brackets, and true";
  EXPECT_FALSE(audit::is_enqueue_timed(claiming(0.2e6, 40e6))) << "too short, but no enqueue's";
  auto doubted = claiming(50e3, 40e6);
  doubted.references.front().void_reason = "R18";
  EXPECT_FALSE(audit::is_enqueue_timed(doubted));
}

// A graph of a hundred kernels that records are kept of: launching it takes much of its own time.
TEST(EnqueueTimed,
     a_launch_that_takes_more_than_half_of_its_work_is_told_from_it_up_to_four_fifths) {
  const auto launched_in = [](double share) {
    auto made = timed_counter({10 * share * 1e6, 10e6, 10e6, 10e6});
    made.submitted[ASSAY_WINDOW_DECODE_STEP] = {10, 10 * share * 1e6, 10e6, 10 * share * 1e6,
                                                10 * share * 1e6};
    return made;
  };
  EXPECT_TRUE(audit::is_enqueue_timed(launched_in(0.45)));
  EXPECT_TRUE(audit::is_enqueue_timed(launched_in(0.79)));
  EXPECT_FALSE(audit::is_enqueue_timed(launched_in(0.81)));
  EXPECT_FALSE(audit::is_enqueue_timed(launched_in(1.0)))
      << "as long to enqueue as to run, and true";
}

test_trace without_claim(std::initializer_list<row> rows) {
  test_trace trace = simulate();
  for (const row which : rows) {
    trace.rows[which].claims = {};
    trace.rows[which].claims.reason = "left out";
  }
  return trace;
}

TEST(Coverage, is_whole_on_an_honest_run) {
  const auto report = simulate().audit();
  EXPECT_THAT(report.findings, IsEmpty());
  EXPECT_GT(report.rules.back().evaluated_samples, 0u) << report.rules.back().id;
}

TEST(Coverage, misses_a_copy_of_any_size_and_a_twentieth_of_the_time) {
  const auto copies = without_claim({logits_bytes}).audit();
  EXPECT_THAT(rules_on(copies, "copy d2h logits"), ElementsAre("R15")) << text_of(copies);
  EXPECT_EQ(copies.findings[0].severity, model::severity::warning);
  EXPECT_THAT(copies.findings[0].message, HasSubstr("86016 bytes in 42 copies"));
  EXPECT_THAT(rules_on(copies, "device time"), IsEmpty()) << "far below 5 %";
  const auto kernels = without_claim({compute_ns, launches, weight_reads}).audit();
  EXPECT_THAT(rules_on(kernels, "device time"), ElementsAre("R15")) << text_of(kernels);
}

TEST(Coverage, is_kept_by_any_counter_that_claims_the_work) {
  EXPECT_THAT(without_claim({weights_bytes, weights_ns}).audit().findings, IsEmpty());
}

TEST(Coverage, tells_a_twentieth_from_less) {
  const auto share = [](std::int64_t claimed_ns, std::int64_t unclaimed_ns) {
    audit::evidence from;
    from.counters.emplace_back().spec = audit::specs_of(test_contract())[launches];
    const auto cell = [](telemetry::range of) {
      return static_cast<std::size_t>(audit::cell_of(ASSAY_OP_LAUNCH, 0, static_cast<int>(of)));
    };
    from.totals[cell(telemetry::range::compute)] = {.records = 1, .device_ns = claimed_ns};
    from.totals[cell(telemetry::range::logits)] = {.records = 1, .device_ns = unclaimed_ns};
    audit::void_map voids;
    return audit::unclaimed_work(from, voids).findings.size();
  };
  EXPECT_EQ(share(950, 50), 0u);
  EXPECT_EQ(share(949, 51), 1u);
}

}  // namespace
}  // namespace assay::audit_test
