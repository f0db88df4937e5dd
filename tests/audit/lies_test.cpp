// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this a rule that fires on nothing, or two rules that hide behind each other, would go
// unnoticed: each lie must fall to its own rule, and live where that rule is left out.
#include <cmath>
#include <memory>
#include <ostream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/audit/trace_builder.h"

namespace assay::audit_test {
namespace {

using model::verdict;
using readings = std::vector<assay_reading>;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr bool is_step(int window) {
  return window == ASSAY_WINDOW_DECODE_STEP || window == ASSAY_WINDOW_PREFILL;
}

lie scaled(row which, double factor) {
  return {[=](readings& r, int) { scale(r[which], factor); }, {}};
}

lie real(row which, double value) {
  return {[=](readings& r, int window) {
            if (window != ASSAY_WINDOW_LOAD && r[which].bits == 0) return;
            r[which].bits = std::bit_cast<std::int64_t>(value);
            r[which].state = ASSAY_MEASURED;
          },
          {}};
}

// Adds `amount` a decode step on top of what is true.
lie drifting(row which, std::int64_t amount) {
  auto steps = std::make_shared<std::int64_t>(0);
  return {[=](readings& r, int window) {
            if (window == ASSAY_WINDOW_DECODE_STEP) ++*steps;
            r[which].bits += amount * *steps;
            r[which].state = ASSAY_MEASURED;
          },
          {}};
}

lie frozen(row which, int after) {
  auto seen = std::make_shared<int>(0);
  auto kept = std::make_shared<std::int64_t>(0);
  return {[=](readings& r, int) {
            if ((*seen)++ < after)
              *kept = r[which].bits;
            else
              r[which].bits = *kept;
          },
          {}};
}

lie never_written(row which) {
  return {[=](readings& r, int) { r[which] = {0, ASSAY_NEVER_WRITTEN, 0}; }, {}};
}

lie swapped(row a, row b) {
  return {[=](readings& r, int) { std::swap(r[a], r[b]); }, {}};
}

// Falls by 1 once, in the tenth snapshot, and stays so.
lie falling(row which) {
  auto seen = std::make_shared<int>(0);
  return {[=](readings& r, int) {
            if (++*seen > 10) r[which].bits -= r[which].bits / 2;
          },
          {}};
}

// Time of 12 calls of 300 ns a window, where the work takes 12 x 30 us.
constexpr double enqueue_share = 12 * 300.0 / (12 * 30'100.0 + 500.0);

struct case_of_lie {
  const char* name;
  const char* rule;
  row counter;
  lie told;
};

std::ostream& operator<<(std::ostream& out, const case_of_lie& one) {
  return out << one.name;
}

class Lies : public testing::TestWithParam<case_of_lie> {};

TEST_P(Lies, fall_to_their_own_rule) {
  const auto report = simulate({}, GetParam().told).audit();
  EXPECT_THAT(rules_on(report, name_of(GetParam().counter)), ElementsAre(GetParam().rule))
      << text_of(report);
  EXPECT_EQ(line_of(report, GetParam().counter).verdict, verdict::disagree) << text_of(report);
}

TEST_P(Lies, leave_every_other_counter_alone) {
  const auto report = simulate({}, GetParam().told).audit();
  for (const model::finding& found : report.findings) {
    const bool is_partner = std::string(GetParam().name) == "h2d_and_d2h_swapped" &&
                            found.subject == name_of(logits_bytes);
    if (is_partner) continue;
    EXPECT_EQ(found.subject, name_of(GetParam().counter)) << text_of(report);
  }
}

TEST_P(Lies, live_without_their_rule_and_are_never_confirmed) {
  const auto report = simulate({}, GetParam().told).audit(all_but(GetParam().rule));
  EXPECT_THAT(rules_on(report, name_of(GetParam().counter)), IsEmpty()) << text_of(report);
  EXPECT_NE(line_of(report, GetParam().counter).verdict, verdict::agree) << text_of(report);
}

std::vector<case_of_lie> every_case_of_lie() {
  return {
      case_of_lie{"bytes_doubled", "R04", weights_bytes, scaled(weights_bytes, 2)},
      case_of_lie{"one_byte_a_step_too_many", "R04", inputs_bytes, drifting(inputs_bytes, 1)},
      case_of_lie{"h2d_and_d2h_swapped", "R04", inputs_bytes, swapped(inputs_bytes, logits_bytes)},
      case_of_lie{"reset_forgotten", "R04", inputs_bytes, {{}, {inputs_bytes}}},
      case_of_lie{"reset_of_a_ledger_counter_forgotten", "R04", tokens, {{}, {tokens}}},
      case_of_lie{"live_level_too_high", "R04", live_bytes, scaled(live_bytes, 1.01)},
      case_of_lie{"syncs_halved", "R04", launches, scaled(launches, 0.5)},
      case_of_lie{"us_for_ns", "R05", compute_ns, scaled(compute_ns, 0.2)},
      case_of_lie{"time_3_percent_long", "R05", compute_ns, scaled(compute_ns, 1.03)},
      case_of_lie{"time_3_percent_short", "R05", compute_ns, scaled(compute_ns, 0.97)},
      case_of_lie{"host_time_3_percent_short", "R05", step_ns, scaled(step_ns, 0.97)},
      case_of_lie{"host_time_3_percent_long", "R05", step_ns, scaled(step_ns, 1.03)},
      case_of_lie{"enqueue_timed", "R01", compute_ns, scaled(compute_ns, enqueue_share)},
      case_of_lie{"fence_timed", "R01", compute_ns, scaled(compute_ns, enqueue_share * 1.2)},
      case_of_lie{"rate_above_the_raw_link", "R02", weights_rate, real(weights_rate, 50e9)},
      case_of_lie{"rate_above_the_measured_link", "R02", weights_rate, real(weights_rate, 13e9)},
      case_of_lie{"rate_too_low", "R05", weights_rate, real(weights_rate, 4e9)},
      case_of_lie{"rate_not_a_number", "R12", weights_rate, real(weights_rate, std::nan(""))},
      case_of_lie{"level_marked_missing",
                  "R12",
                  live_bytes,
                  {[](readings& r, int) {
                     r[live_bytes] = {-1, ASSAY_MEASURED, 0};
                   },
                   {}}},
      case_of_lie{"peak_beyond_its_limit", "R12", peak_bytes, scaled(peak_bytes, 1000)},
      case_of_lie{"span_and_its_kernels", "R06", compute_ns, scaled(compute_ns, 1.994)},
      case_of_lie{"frozen_count", "R13", launches, frozen(launches, 5)},
      case_of_lie{"frozen_time", "R13", compute_ns, frozen(compute_ns, 2)},
      case_of_lie{"never_written_count", "R13", weights_bytes, never_written(weights_bytes)},
      case_of_lie{"never_written_time", "R13", compute_ns, never_written(compute_ns)},
      case_of_lie{"never_written_ledger_counter", "R13", tokens, never_written(tokens)},
      case_of_lie{"bytes_of_a_copy_that_never_ran", "R14", weights_bytes,
                  drifting(weights_bytes, 4096)},
      case_of_lie{"frees_that_never_happened", "R14", frees, drifting(frees, 1)},
      case_of_lie{"negative_time", "R16", compute_ns, scaled(compute_ns, -1)},
      case_of_lie{"count_falls", "R16", weights_bytes, falling(weights_bytes)},
      case_of_lie{"peak_falls", "R16", peak_bytes, falling(peak_bytes)}};
}

std::string name_of_case_of_lie(const testing::TestParamInfo<case_of_lie>& of) {
  return of.param.name;
}

INSTANTIATE_TEST_SUITE_P(Each, Lies, testing::ValuesIn(every_case_of_lie()), name_of_case_of_lie);

TEST(JustInside, times_within_two_percent_are_not_a_finding) {
  for (const row which : {compute_ns, step_ns})
    for (const double factor : {0.985, 1.015}) {
      const auto report = simulate({}, scaled(which, factor)).audit();
      EXPECT_THAT(report.findings, IsEmpty()) << factor << text_of(report);
      EXPECT_EQ(line_of(report, which).verdict, verdict::agree) << text_of(report);
    }
}

TEST(JustInside, two_us_a_bracket_are_not_a_finding_and_more_are) {
  // 12 us a window: 2 % are 0.24 us, so the slack of the bracket decides.
  const run_shape shape{.kernels = 4, .kernel_ns = 3'000};
  const auto report = simulate(shape, drifting(compute_ns, 0)).audit();
  EXPECT_THAT(report.findings, IsEmpty()) << text_of(report);
  const auto shift = [](std::int64_t ns) {
    auto windows = std::make_shared<std::int64_t>(0);
    return lie{[=](readings& r, int window) {
                 if (window == ASSAY_WINDOW_PREFILL) *windows = 0;
                 if (is_step(window)) ++*windows;
                 r[compute_ns].bits += ns * *windows;
               },
               {}};
  };
  EXPECT_THAT(simulate(shape, shift(1'900)).audit().findings, IsEmpty());
  EXPECT_THAT(rules_on(simulate(shape, shift(3'000)).audit(), name_of(compute_ns)),
              ElementsAre("R05"));
}

TEST(JustInside, a_rate_at_the_measured_ceiling_is_possible) {
  const auto report = simulate({}, real(weights_rate, 10.1e9)).audit();
  EXPECT_THAT(report.findings, IsEmpty()) << text_of(report);
}

TEST(JustInside, four_fifths_of_the_work_are_not_an_enqueue) {
  const auto report = simulate({}, scaled(compute_ns, 0.82)).audit();
  EXPECT_THAT(rules_on(report, name_of(compute_ns)), ElementsAre("R05")) << text_of(report);
}

TEST(JustInside, two_windows_of_silence_are_a_wrong_figure_and_not_a_frozen_counter) {
  // Honest but for steps whose launches it books late.
  auto step = std::make_shared<int>(0);
  const lie late{[=](readings& r, int window) {
                   if (window != ASSAY_WINDOW_DECODE_STEP) return;
                   ++*step;
                   // Two silent steps in a row, made good by the third, three times over.
                   const int phase = *step % 6;
                   if (phase == 1) r[launches].bits -= 12;
                   if (phase == 2) r[launches].bits -= 24;
                 },
                 {}};
  EXPECT_THAT(rules_on(simulate({}, late).audit(), name_of(launches)), ElementsAre("R04"));
}

TEST(Impossible, a_time_too_short_for_its_bytes_breaks_the_link_as_well) {
  const auto report = simulate({}, scaled(weights_ns, 0.1)).audit();
  EXPECT_THAT(rules_on(report, name_of(weights_ns)), ElementsAre("R02", "R05")) << text_of(report);
  for (const model::finding& each : report.findings)
    EXPECT_EQ(each.unit, each.rule == "R02" ? "bytes_per_s" : "") << each.rule;
}

TEST(Sentences, name_figures_and_the_likely_cause) {
  const auto doubled = simulate({}, scaled(weights_bytes, 2)).audit();
  ASSERT_EQ(doubled.findings.size(), 1u);
  EXPECT_EQ(doubled.findings[0].message,
            "test.weights.h2d_bytes claims 16000048 bytes, device records say 8000024 bytes: "
            "+8000024 unexplained, in 1 of 43 windows, first in load 0.");
  EXPECT_EQ(doubled.findings[0].likely_cause, "x 2: counted twice");
  const auto enqueued = simulate({}, scaled(compute_ns, enqueue_share)).audit();
  ASSERT_EQ(enqueued.findings.size(), 1u);
  EXPECT_THAT(enqueued.findings[0].message,
              testing::HasSubstr("timed the enqueue: 3.60 us claimed, device 360.00 us, "
                                 "calls 3.60 us"));
}

}  // namespace
}  // namespace assay::audit_test
