// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this, a column that loses its alignment, a section that vanishes or a page of counters
// that lags behind the catalog would go unnoticed until a person reads one.
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "reports/html/comparison_html.h"
#include "reports/json/audit_json.h"
#include "reports/json/comparison_json.h"
#include "reports/junit/audit_junit.h"
#include "reports/markdown/audit_markdown.h"
#include "reports/markdown/comparison_markdown.h"
#include "reports/markdown/counters_markdown.h"
#include "reports/model/comparison_outcome.h"
#include "reports/prometheus/audit_prometheus.h"
#include "reports/text/audit_text.h"
#include "reports/text/comparison_text.h"
#include "runtime/telemetry/catalog.h"
#include "tests/reports/rendered.h"
#include "tests/reports/sample_comparison.h"
#include "tests/reports/sample_report.h"

namespace assay::reports {
namespace {

// Leaves what was rendered beside the binary, where ci/bless takes it from.
void expect_golden(const std::string& rendered, const std::string& name,
                   const std::string& golden) {
  const std::filesystem::path folder = ASSAY_RENDERED;
  std::filesystem::create_directories(folder);
  std::ofstream(folder / name, std::ios::binary) << rendered;
  EXPECT_EQ(rendered, content_of(std::filesystem::path(ASSAY_SOURCE_DIR) / golden))
      << golden << " differs; if the new output is right, run ci/bless and read the diff";
}

TEST(Golden, audit_as_text) {
  expect_golden(audit_as_text(sample_report()), "audit.txt", "tests/reports/golden/audit.txt");
}

TEST(Golden, audit_as_text_in_colours) {
  expect_golden(audit_as_text(sample_report(), {.is_coloured = true}), "audit.ansi.txt",
                "tests/reports/golden/audit.ansi.txt");
}

TEST(Golden, audit_as_markdown) {
  expect_golden(audit_as_markdown(sample_report()), "audit.md", "tests/reports/golden/audit.md");
}

TEST(Golden, audit_as_json) {
  const auto report = sample_report();
  expect_golden(audit_as_json(report, model::outcome_of(report)), "audit.json",
                "tests/reports/golden/audit.json");
}

TEST(Golden, clean_audit_as_json) {
  const auto report = clean_report();
  expect_golden(audit_as_json(report, model::outcome_of(report)), "audit.clean.json",
                "tests/reports/golden/audit.clean.json");
}

TEST(Golden, audit_as_junit) {
  const auto report = sample_report();
  expect_golden(audit_as_junit(report, model::outcome_of(report)), "audit.junit.xml",
                "tests/reports/golden/audit.junit.xml");
}

TEST(Golden, audit_as_prometheus) {
  const auto report = sample_report();
  expect_golden(audit_as_prometheus(report, model::outcome_of(report)), "audit.prom",
                "tests/reports/golden/audit.prom");
}

TEST(Golden, comparison_as_text) {
  expect_golden(comparison_as_text(sample_comparison()), "comparison.txt",
                "tests/reports/golden/comparison.txt");
}

TEST(Golden, comparison_as_markdown) {
  expect_golden(comparison_as_markdown(sample_comparison()), "comparison.md",
                "tests/reports/golden/comparison.md");
}

TEST(Golden, comparison_as_html) {
  const auto report = sample_comparison();
  expect_golden(comparison_as_html(report, model::outcome_of(report)), "comparison.html",
                "tests/reports/golden/comparison.html");
}

TEST(Golden, comparison_as_json) {
  for (const auto& [report, name] : {std::pair{sample_comparison(), "comparison.json"},
                                     std::pair{doubtful_comparison(), "comparison.doubtful.json"}})
    expect_golden(comparison_as_json(report, model::outcome_of(report)), name,
                  std::string("tests/reports/golden/") + name);
}

TEST(Golden, page_of_counters_is_the_catalog) {
  expect_golden(
      counters_as_markdown(telemetry::catalog(), telemetry::catalog(telemetry::device_class::cuda)),
      "counters.md", "docs/counters.md");
}

}  // namespace
}  // namespace assay::reports
