// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this a rule could stop catching what it is there for, or two rules could hide behind each
// other, and nobody would see it: each lie of the field falls to its own rule and lives without it.
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include <gmock/gmock.h>

#include "harness/audit/auditor.h"
#include "probes/trace/pump.h"
#include "probes/trace/trace_reader.h"
#include "probes/trace/trace_writer.h"
#include "tests/audit/corpus.h"
#include "tests/audit/corpus_faults.h"
#include "tests/audit/corpus_kill.h"
#include "tests/audit/shares.h"

namespace assay::audit_test {
namespace {

using readings = std::vector<assay_reading>;

using model::verdict;

class Corpus : public testing::TestWithParam<std::size_t> {
 protected:
  const corpus_case& of() const { return corpus()[GetParam()]; }
};

TEST_P(Corpus, falls_to_its_rule) {
  const auto report = of().make().audit();
  EXPECT_TRUE(is_killed(report, of())) << of().name << "\n" << text_of(report);
}

TEST_P(Corpus, is_never_confirmed) {
  if (of().how == ending::clean) return;
  const auto report = of().make().audit();
  const auto* line = line_named(report, of().subject);
  // A warning of R29 leaves the figure as it is: it may be true, of a run that was slowed.
  if (line == nullptr || of().rule == "R29") return;
  EXPECT_NE(line->verdict, verdict::agree) << text_of(report);
}

// Other rules may speak of the same fault only where the case says so.
TEST_P(Corpus, lives_without_its_rule) {
  if (of().how == ending::clean || of().rule == "G2") return;  // a gate is no row of the table
  const auto report = of().make().audit(all_but(of().rule));
  EXPECT_FALSE(speaks(report, of()));
  for (const model::finding& found : report.findings) {
    const bool is_expected =
        found.rule == of().through || of().also.find(found.rule) != std::string_view::npos;
    EXPECT_TRUE(is_expected) << of().name << ": " << found.rule << " " << found.message;
  }
}

// A figure without a unit is none, and R29 counts waits of a counter that is a time.
TEST_P(Corpus, has_figures_whose_unit_is_said) {
  const auto report = of().make().audit();
  for (const model::finding& found : report.findings) {
    if (!found.claimed.is_present && !found.observed.is_present) continue;
    EXPECT_FALSE(unit_of(report, found).empty()) << found.rule << " " << found.message;
    if (found.rule == "R29") {
      EXPECT_EQ(unit_of(report, found), "count");
    }
  }
}

// What tests judge in memory is what a file holds: written by the project's writer, read back.
TEST_P(Corpus, is_the_same_from_a_file) {
  // A file of the case's own: cases run beside each other.
  const std::string path = (std::filesystem::path(testing::TempDir()) /
                            ("corpus_" + std::to_string(GetParam()) + ".assay"))
                               .string();
  const test_trace run = of().make();
  auto writer = trace::trace_writer::open(path);
  ASSERT_TRUE(writer);
  run.feed(*writer);
  auto reader = trace::trace_reader::open(path);
  ASSERT_TRUE(reader) << reader.error().message;
  audit::auditor auditor;
  ASSERT_TRUE(trace::pump(*reader, auditor));
  const auto report = auditor.finish(reader->incompleteness());
  std::filesystem::remove(path);
  ASSERT_TRUE(report);
  EXPECT_EQ(text_of(*report), text_of(run.audit()));
}

INSTANTIATE_TEST_SUITE_P(Each, Corpus, testing::Range<std::size_t>(0, corpus().size()),
                         [](const auto& each) {
                           std::string name(corpus()[each.param].name);
                           std::replace_if(
                               name.begin(), name.end(),
                               [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
                           return name;
                         });

// Where records were lost, a wait may be one that its counter knows of.
TEST(WaitsOfTheWork, are_nobodys_finding_where_records_are_lost) {
  const auto report = waits_of_a_lossy_trace().audit();
  for (const model::finding& found : report.findings) EXPECT_NE(found.rule, "R29") << found.message;
}

// Near each explanation lies something that it must not explain.
TEST(JustBeside, an_explanation_is_not_given) {
  const auto explained_by = [](const model::audit_report& report, const std::string& rule) {
    for (const model::finding& found : report.findings)
      for (const model::explanation& why : found.explanations)
        if (why.rule == rule) return true;
    return false;
  };
  // A level that lags by up to four passes is wrong and not stale.
  const auto lagging = with_shares(simulate(), [](readings& r, std::int64_t nth) {
                         set_integer(r[live_pages], nth - nth % 5);
                       }).audit();
  EXPECT_FALSE(lagging.findings.empty());
  EXPECT_FALSE(explained_by(lagging, "R21")) << text_of(lagging);
  // Frozen at a figure that each window brings is frozen.
  auto seen = std::make_shared<int>(0);
  const lie stuck{[=](readings& r, int) {
                    if (++*seen > 2) r[launches].bits = 12;
                  },
                  {}};
  const auto frozen = simulate({}, stuck).audit();
  EXPECT_FALSE(frozen.findings.empty());
  EXPECT_FALSE(explained_by(frozen, "R11")) << text_of(frozen);
  const auto off = with_shares(simulate({.steps = 8}), [](readings& r, std::int64_t) {
                     set_real(r[request_rate], 1.5 * real_of(r[request_rate]));
                   }).audit();
  EXPECT_FALSE(off.findings.empty());
  EXPECT_FALSE(explained_by(off, "R19")) << text_of(off);
}

TEST(JustInside, shares_ratios_and_rates_may_be_rounded) {
  EXPECT_THAT(with_shares(simulate(),
                          [](readings& r, std::int64_t) {
                            set_real(r[hit_ratio], real_of(r[hit_ratio]) * (1 + 0.9e-6));
                            set_real(r[read_rate], real_of(r[read_rate]) * (1 - 0.9e-6));
                            set_real(r[copy_share], 0.2595);
                          })
                  .audit()
                  .findings,
              testing::IsEmpty());
}

TEST(JustInside, memory_may_be_three_percent_faster_than_measured) {
  const auto at = [](std::int64_t percent) {
    return rules_on(with_shares(simulate(),
                                [=](readings& r, std::int64_t nth) {
                                  set_integer(r[read_bytes], 100 * percent * nth);
                                  set_integer(r[read_ns], 1'000 * nth);
                                  set_real(r[read_rate], static_cast<double>(percent) * 1e8);
                                })
                        .audit(),
                    with_shares(simulate()).rows[read_rate].name);
  };
  EXPECT_THAT(at(102), testing::IsEmpty());
  EXPECT_THAT(at(104), testing::ElementsAre("R03"));
}

TEST(JustInside, two_passes_without_a_record_at_the_end_are_no_other_collector) {
  const auto mute = [](int passes) {
    test_trace run = simulate();
    std::vector<piece> kept;
    int windows = 0;
    for (piece& each : run.pieces) {
      const auto* record = std::get_if<assay_record>(&each);
      if (record != nullptr && record->kind == ASSAY_WINDOW_BEGIN) ++windows;
      // The load, two requests of 21 passes each.
      const bool is_taken = record != nullptr && windows > 45 - passes &&
                            (record->kind == ASSAY_SUBMISSION || record->kind == ASSAY_ACTIVITY);
      if (!is_taken) kept.push_back(std::move(each));
    }
    run.pieces = std::move(kept);
    const auto report = run.audit();
    return std::any_of(report.findings.begin(), report.findings.end(),
                       [](const model::finding& f) { return f.rule == "R28"; });
  };
  EXPECT_FALSE(mute(2));
  EXPECT_TRUE(mute(3));
}

}  // namespace
}  // namespace assay::audit_test
