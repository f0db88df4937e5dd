// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this, a CI system could show a counter that nobody could judge as passed, or refuse the
// whole file because of one name in it.
#include "reports/junit/audit_junit.h"

#include <string>

#include <gtest/gtest.h>

#include "reports/junit/xml.h"
#include "tests/reports/sample_report.h"

namespace assay::reports {
namespace {

std::string rendered(const model::audit_report& report) {
  return audit_as_junit(report, model::outcome_of(report));
}

// The element of one test case, from its name to its end.
std::string case_of(const std::string& xml, const std::string& name) {
  const auto at = xml.find("name=\"" + name + "\">");
  EXPECT_NE(at, std::string::npos) << name;
  return xml.substr(at, xml.find("</testcase>", at) - at);
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Junit, each_verdict_has_its_own_element) {
  const std::string xml = rendered(sample_report());
  EXPECT_TRUE(has(case_of(xml, "h2d_ns"), "<failure message=\"R01\"/>"));
  EXPECT_TRUE(has(case_of(xml, "h2d_bytes_per_s"), "<error message="));
  EXPECT_TRUE(has(case_of(xml, "random_draws_count"), "<skipped message=\"nothing to measure\"/>"));
  const std::string agreeing = case_of(xml, "peak_bytes");
  for (const char* element : {"<failure", "<error", "<skipped"})
    EXPECT_FALSE(has(agreeing, element)) << element;
}

TEST(Junit, a_disagreement_carries_its_findings) {
  EXPECT_TRUE(has(case_of(rendered(sample_report()), "h2d_ns"),
                  "The counter timed the enqueue, not the copy."));
}

TEST(Junit, a_gate_that_fails_is_an_error) {
  const std::string xml = rendered(sample_report());
  EXPECT_TRUE(has(case_of(xml, "G1 triangle"), "<error"));
  EXPECT_FALSE(has(case_of(xml, "G2 sentinels"), "<error"));
}

TEST(Junit, a_finding_about_no_counter_fails_its_rule) {
  auto report = sample_report();
  report.rules.push_back({"R15", "coverage", 12, 1});
  EXPECT_FALSE(has(case_of(rendered(report), "R15 coverage"), "<failure")) << "a warning passes";
  EXPECT_TRUE(has(case_of(rendered(report), "R15 coverage"), "that no counter claims"));
  report.findings.back().severity = model::severity::error;
  EXPECT_TRUE(has(case_of(rendered(report), "R15 coverage"), "<failure"));
}

TEST(Junit, a_trace_that_was_cut_off_or_empty_does_not_pass) {
  EXPECT_FALSE(has(case_of(rendered(clean_report()), "is_whole_and_has_counters"), "<error"));
  auto cut = clean_report();
  cut.is_complete = false;
  EXPECT_TRUE(has(case_of(rendered(cut), "is_whole_and_has_counters"), "<error"));
  EXPECT_TRUE(has(case_of(rendered({}), "is_whole_and_has_counters"), "<error"));
}

TEST(Junit, the_counts_are_those_of_the_cases) {
  const std::string xml = rendered(sample_report());
  EXPECT_TRUE(has(xml, "tests=\"14\" failures=\"1\" errors=\"2\" skipped=\"1\"")) << xml;
}

TEST(Xml, keeps_text_and_escapes_markup) {
  EXPECT_EQ(xml_escaped("a < b & \"c\" > \u00e9"), "a &lt; b &amp; &quot;c&quot; &gt; \u00e9");
  EXPECT_EQ(xml_escaped("one\ntwo\t"), "one&#10;two&#9;");
}

TEST(Xml, what_it_cannot_hold_becomes_the_replacement_character) {
  const std::string mark = "\xEF\xBF\xBD";
  EXPECT_EQ(xml_escaped(std::string("a\0b", 3)), "a" + mark + "b");
  EXPECT_EQ(xml_escaped("\x1b[31m"), mark + "[31m");
  EXPECT_EQ(xml_escaped("\xff"), mark);
  EXPECT_EQ(xml_escaped("\xC0\xAF"), mark + mark) << "overlong";
  EXPECT_EQ(xml_escaped("\xED\xA0\x80"), mark + mark + mark) << "a surrogate";
  EXPECT_EQ(xml_escaped("\xEF\xBF\xBE."), mark + ".") << "U+FFFE is no XML character";
  EXPECT_EQ(xml_escaped("\xE2\x82"), mark + mark) << "cut off";
  EXPECT_EQ(xml_escaped("\xF4\x8F\xBF\xBF"), "\xF4\x8F\xBF\xBF") << "U+10FFFF is one";
}

}  // namespace
}  // namespace assay::reports
