// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this, a share of a cache's rate could be read as one of memory's, and a plot show what
// nobody measured.
#include <string>

#include <gtest/gtest.h>

#include "reports/html/investigation_html.h"
#include "reports/text/investigation_text.h"
#include "tests/reports/sample_report.h"

namespace assay::reports {
namespace {

model::investigation under_roofs() {
  model::investigation report;
  report.audit = clean_report();
  report.roof = sample_roof();
  return report;
}

TEST(Roofline, what_binds_is_said_with_the_tier_that_may_have_served_it) {
  auto report = under_roofs();
  const auto says = [&](const char* words) {
    return investigation_as_text(report).find(words) != std::string::npos;
  };
  EXPECT_TRUE(says("reads, of a cache maybe"));
  EXPECT_TRUE(says("7.022 GFLOP/s"));
  EXPECT_TRUE(says("Its ridge lies at 8.000 FLOP/B"));
  EXPECT_TRUE(says("bf16 matrix units: unmeasured, no matrix unit"));
  report.roof.tier = model::read_tier::memory;
  EXPECT_FALSE(says("of a cache maybe"));
  EXPECT_TRUE(says("  memory"));
  for (auto& each : report.roof.points) each.operations = absent("the trace plans no operations");
  EXPECT_TRUE(says("Unmeasured: the trace plans no operations."));
  EXPECT_FALSE(says("GFLOP/s"));
}

TEST(Roofline, lengths_that_overlap_are_said_and_no_others) {
  auto report = under_roofs();
  const auto says = [&](const char* words) {
    return investigation_as_text(report).find(words) != std::string::npos;
  };
  EXPECT_TRUE(says("decode, all launches"));
  EXPECT_TRUE(says("add up to 7.890 µs, and a kernel ran for 6.000 µs"));
  EXPECT_FALSE(says("reads alone"));
  model::roofline_point& decode = report.roof.points[4];
  decode.lengths_ns = decode.busy_ns;
  EXPECT_FALSE(says("overlap"));
  decode.is_by_several = true;
  EXPECT_TRUE(says("several kinds"));
  EXPECT_TRUE(says("Held against reads alone: \"decode, all launches\""));
  decode.bound = model::roof_bound::none;
  decode.roof_ratio = absent("nobody knows");
  EXPECT_FALSE(says("reads alone"));
}

TEST(Roofline, is_plotted_with_its_bends_and_without_what_nobody_measured) {
  auto report = under_roofs();
  const std::string html = investigation_as_html(report);
  EXPECT_NE(html.find("\"isLog\":true"), std::string::npos);
  // Across: the left end, 2 of gated_mlp, decode, the ridge, 30 of prefill, 46.875 of attention,
  // the right end.
  EXPECT_NE(html.find("\"places\":[1,2,3.757425742574257"), std::string::npos);
  EXPECT_NE(html.find(",8,30,46.875,93.75]"), std::string::npos);
  EXPECT_NE(html.find("\"values\":[10000000000,20000000000,37574257425"), std::string::npos);
  EXPECT_NE(
      html.find("\"values\":[null,7021700000,16192000000,null,180000000000000,60000000000,null]"),
      std::string::npos);
  EXPECT_NE(html.find("at 46.88: 60.00 GFLOP/s"), std::string::npos) << "for who hears it";
  report.roof.points.clear();
  EXPECT_EQ(investigation_as_html(report).find("roofline-plot"), std::string::npos);
}

}  // namespace
}  // namespace assay::reports
