// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// docs/howto/add-a-rule.md, followed step by step with a rule of no other use. Without this the
// page could describe a way that does not lead to a rule.
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "harness/audit/rule.h"
#include "tests/audit/trace_builder.h"

namespace assay::audit_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// 1. The question: does a counter of bytes come in whole pages, where its unit of work is one? A
//    wrong figure has a remainder.
constexpr std::int64_t page_bytes = 4096;

// 2. The file: pure, and every counter that it looks at counts, also where it holds.
audit::rule_outcome whole_pages(const audit::evidence& from, audit::void_map&) {
  audit::rule_outcome out;
  for (const audit::counter_evidence& counter : from.counters) {
    if (counter.spec.claims.measure != telemetry::measure::weight_bytes) continue;
    // 4. Ground: where nobody recorded the work, nothing is said of it.
    bool is_void = counter.references.empty();
    for (const audit::reference_evidence& each : counter.references)
      is_void = is_void || each.is_void();
    if (is_void || !counter.was_measured) continue;
    ++out.evaluated;
    // 3. The tolerance: a count has none.
    const std::int64_t rest = counter.claimed.integer % page_bytes;
    if (rest == 0) continue;
    // 5. The message.
    model::finding found =
        audit::finding_of("R99", "WHOLE_PAGES", model::severity::error, counter.spec.name);
    found.message = counter.spec.name + " is no whole number of pages: " + std::to_string(rest) +
                    " bytes are left over.";
    out.findings.push_back(std::move(found));
  }
  return out;
}

// Its row, behind those of the table.
std::vector<audit::rule> with_sample() {
  std::vector<audit::rule> rules(audit::rules().begin(), audit::rules().end());
  rules.push_back({"R99", "WHOLE_PAGES", "error", "bytes of weights that kernels read",
                   "a whole number of pages", "0", audit::rule_role::judges, whole_pages});
  return rules;
}

// 6. The lies.
model::audit_report told(std::int64_t extra) {
  return simulate({}, {[extra](std::vector<assay_reading>& r, int) {
                         if (r[weight_reads].bits != 0) r[weight_reads].bits += extra;
                       },
                       {}})
      .audit(with_sample());
}

const model::rule_line& line_of_sample(const model::audit_report& report) {
  for (const model::rule_line& line : report.rules)
    if (line.id == "R99") return line;
  ADD_FAILURE() << "the report has no line of the rule";
  return report.rules.front();
}

TEST(SampleRule, looks_at_an_honest_run_and_finds_nothing) {
  const auto report = told(0);
  EXPECT_GT(line_of_sample(report).evaluated_samples, 0u);
  EXPECT_THAT(report.findings, IsEmpty()) << text_of(report);
}

TEST(SampleRule, is_silent_just_inside_and_speaks_just_outside) {
  EXPECT_THAT(rules_on(told(page_bytes), name_of(weight_reads)), ElementsAre("R04"));
  EXPECT_THAT(rules_on(told(1), name_of(weight_reads)), ElementsAre("R04", "R99"));
}

TEST(SampleRule, says_nothing_where_its_ground_is_void) {
  test_trace run = simulate();
  run.drop(
      [](const assay_record& r) { return r.kind == ASSAY_ACTIVITY && r.op == ASSAY_OP_LAUNCH; });
  EXPECT_EQ(line_of_sample(run.audit(with_sample())).evaluated_samples, 0u);
}

}  // namespace
}  // namespace assay::audit_test
