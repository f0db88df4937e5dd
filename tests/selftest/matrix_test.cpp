// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this file the matrix, which judges the judge, could call everything ok.
#include "harness/selftest/matrix.h"

#include <gtest/gtest.h>

#include "tests/selftest/faulty_run.h"

namespace assay::selftest_test {
namespace {

using model::verdict;
using selftest::judge;
using selftest::strength;
using id = telemetry::counter_id;

std::unique_ptr<selftest::instrument> none(strength) {
  return nullptr;
}

selftest::lie a_lie() {
  return {"doubled", "R04", "", "counts twice", selftest::outcome::disagree, {id::inputs_h2d_bytes},
          none};
}

selftest::lie damaged_truth() {
  return {
      "dropped", "R18", "", "loses a record", selftest::outcome::undecided, {id::kv_append_bytes},
      none};
}

// Every counter agrees.
model::audit_report honest() {
  model::audit_report report;
  for (const telemetry::counter_contract& counter : telemetry::catalog()) {
    model::counter_line line;
    line.name = counter.name.value;
    line.verdict = verdict::agree;
    report.counters.push_back(line);
  }
  return report;
}

void set(model::audit_report& report, id counter, verdict to, const std::string& reason) {
  model::counter_line& line = report.counters.at(static_cast<std::size_t>(counter));
  line.verdict = to;
  line.reason = reason;
}

void fire(model::audit_report& report, const std::string& rule, id counter) {
  model::finding found;
  found.rule = rule;
  found.subject = name_of(counter);
  report.findings.push_back(found);
  set(report, counter, verdict::disagree, rule + " fired");
}

bool passes(const selftest::lie& planted, strength how, const model::audit_report& lying) {
  return judge(planted, how, honest(), lying).is_passed;
}

// A row that no longer has its host's name would stand beside it, on a counter that is not there.
TEST(GpuLies, take_the_place_of_the_hosts_and_have_subjects_that_a_gpu_has) {
  const auto on_host = selftest::lies();
  const auto on_gpu = selftest::lies(telemetry::device_class::cuda);
  EXPECT_EQ(on_host.size() - 6 + 9, on_gpu.size()) << "six are told on the host alone";
  std::set<std::string_view> names;
  for (const selftest::lie& each : on_gpu) {
    EXPECT_TRUE(names.insert(each.name).second) << each.name;
    for (const id subject : each.subjects) {
      const std::string_view name = telemetry::contract_of(subject).name;
      EXPECT_FALSE(name.starts_with("runtime.logits.")) << each.name;
      EXPECT_NE(subject, id::kv_append_copies_count) << each.name;
    }
  }
}

TEST(Matrix, passes_a_lie_that_its_rule_killed) {
  model::audit_report lying = honest();
  fire(lying, "R04", id::inputs_h2d_bytes);
  const auto result = judge(a_lie(), strength::gross, honest(), lying);
  EXPECT_TRUE(result.is_passed) << result.seen;
  EXPECT_EQ(result.seen, "killed by R04");
}

TEST(Matrix, fails_a_lie_that_survived) {
  EXPECT_FALSE(passes(a_lie(), strength::gross, honest()));
  model::audit_report doubted = honest();
  set(doubted, id::inputs_h2d_bytes, verdict::undecided, "G2");
  EXPECT_FALSE(passes(a_lie(), strength::gross, doubted));
}

TEST(Matrix, fails_a_lie_that_another_rule_killed) {
  model::audit_report lying = honest();
  fire(lying, "R13", id::inputs_h2d_bytes);
  EXPECT_FALSE(passes(a_lie(), strength::gross, lying));
}

TEST(Matrix, fails_a_lie_whose_second_subject_got_away) {
  selftest::lie both = a_lie();
  both.subjects.push_back(id::logits_d2h_bytes);
  model::audit_report lying = honest();
  fire(lying, "R04", id::inputs_h2d_bytes);
  EXPECT_FALSE(passes(both, strength::gross, lying));
  fire(lying, "R04", id::logits_d2h_bytes);
  EXPECT_TRUE(passes(both, strength::gross, lying));
}

TEST(Matrix, fails_where_a_bystander_was_hit) {
  for (const verdict hit : {verdict::disagree, verdict::undecided, verdict::unmeasured}) {
    model::audit_report lying = honest();
    fire(lying, "R04", id::inputs_h2d_bytes);
    set(lying, id::kv_read_bytes, hit, "beside");
    const auto result = judge(a_lie(), strength::gross, honest(), lying);
    EXPECT_FALSE(result.is_passed);
    EXPECT_NE(result.seen.find("runtime.kv.read_bytes"), std::string::npos) << result.seen;
  }
}

selftest::lie another_unit() {
  return {"bits", "R10", "R04", "eight times", selftest::outcome::disagree, {id::inputs_h2d_bytes},
          none};
}

// The finding stands in any case; what is on trial is whether its likely cause is named.
TEST(Matrix, wants_the_explanation_that_the_lie_names_and_wants_it_first) {
  model::audit_report lying = honest();
  fire(lying, "R04", id::inputs_h2d_bytes);
  EXPECT_FALSE(passes(another_unit(), strength::gross, lying)) << "found, and not explained";
  lying.findings.back().explanations = {{"R22", "", "", 0.0}, {"R10", "", "", 0.01}};
  EXPECT_FALSE(passes(another_unit(), strength::gross, lying)) << "another is nearer";
  EXPECT_FALSE(passes(another_unit(), strength::just_inside, lying)) << "it spoke all the same";
  std::swap(lying.findings.back().explanations[0], lying.findings.back().explanations[1]);
  const auto result = judge(another_unit(), strength::gross, honest(), lying);
  EXPECT_TRUE(result.is_passed) << result.seen;
  EXPECT_EQ(result.seen, "killed by R04, explained by R10");
}

TEST(Matrix, wants_work_that_nobody_claims_reported_by_the_named_rule) {
  const selftest::lie left_out{
      "left out", "R15", "", "claims less", selftest::outcome::unclaimed, {id::kv_append_bytes},
      none};
  model::audit_report lying = honest();
  set(lying, id::kv_append_bytes, verdict::unmeasured, "one reference only");
  EXPECT_FALSE(passes(left_out, strength::gross, lying));
  model::finding found;
  found.rule = "R15";
  found.subject = "copy d2d kv_append";
  lying.findings.push_back(found);
  EXPECT_TRUE(passes(left_out, strength::gross, lying));
  EXPECT_FALSE(passes(left_out, strength::just_inside, lying));
}

TEST(Matrix, wants_damaged_truth_undecided_for_its_reason) {
  model::audit_report lying = honest();
  EXPECT_FALSE(passes(damaged_truth(), strength::gross, lying)) << "it agrees";
  set(lying, id::kv_append_bytes, verdict::undecided, "G2: a sentinel is missing");
  EXPECT_FALSE(passes(damaged_truth(), strength::gross, lying)) << "for another reason";
  set(lying, id::kv_append_bytes, verdict::undecided, "R18: 1 lost its record");
  EXPECT_TRUE(passes(damaged_truth(), strength::gross, lying));
  set(lying, id::kv_read_bytes, verdict::undecided, "R18: the same damage");
  EXPECT_TRUE(passes(damaged_truth(), strength::gross, lying));
  set(lying, id::kv_read_bytes, verdict::disagree, "R04");
  EXPECT_FALSE(passes(damaged_truth(), strength::gross, lying)) << "an honest counter is accused";
}

TEST(Matrix, wants_the_rule_silent_where_nothing_is_told) {
  EXPECT_TRUE(passes(a_lie(), strength::just_inside, honest()));
  EXPECT_TRUE(passes(damaged_truth(), strength::just_inside, honest()));
  model::audit_report lying = honest();
  fire(lying, "R05", id::inputs_h2d_bytes);
  EXPECT_TRUE(passes(a_lie(), strength::just_inside, lying)) << "another rule may speak";
  fire(lying, "R04", id::kv_read_bytes);
  EXPECT_FALSE(passes(a_lie(), strength::just_inside, lying));
  model::audit_report doubted = honest();
  set(doubted, id::kv_append_bytes, verdict::undecided, "R18");
  EXPECT_FALSE(passes(damaged_truth(), strength::just_inside, doubted));
}

TEST(Matrix, counts_what_is_as_it_must_be) {
  const auto killed = [] {
    model::audit_report lying = honest();
    fire(lying, "R04", id::inputs_h2d_bytes);
    return lying;
  }();
  const std::string text =
      selftest::matrix_as_text({judge(a_lie(), strength::gross, honest(), killed),
                                judge(a_lie(), strength::gross, honest(), honest())});
  EXPECT_NE(text.find("1 of 2 as they must be"), std::string::npos) << text;
  EXPECT_NE(text.find("FAILED"), std::string::npos) << text;
}

}  // namespace
}  // namespace assay::selftest_test
