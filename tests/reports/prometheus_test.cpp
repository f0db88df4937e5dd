// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this, a scrape could store 0 for what was not measured, nanoseconds as seconds, or
// nothing at all because one line of the file breaks the format.
#include "reports/prometheus/audit_prometheus.h"

#include <limits>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "reports/prometheus/metric_name.h"
#include "runtime/telemetry/catalog.h"
#include "tests/reports/sample_report.h"

namespace assay::reports {
namespace {

std::string rendered(const model::audit_report& report) {
  return audit_as_prometheus(report, model::outcome_of(report));
}

bool has_line(const std::string& text, const std::string& line) {
  return ("\n" + text).find("\n" + line + "\n") != std::string::npos;
}

// The text format, version 0.0.4: a comment, or a name, labels and one number.
void expect_well_formed(const std::string& text) {
  static const std::regex comment("# (HELP|TYPE) [a-zA-Z_:][a-zA-Z0-9_:]* .+");
  static const std::regex sample(
      "[a-zA-Z_:][a-zA-Z0-9_:]*"
      "(\\{[a-z_]+=\"(\\\\.|[^\"\\\\])*\"(,[a-z_]+=\"(\\\\.|[^\"\\\\])*\")*\\})? "
      "-?[0-9][0-9.]*(e[+-]?[0-9]+)?");
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    EXPECT_TRUE(std::regex_match(line, line[0] == '#' ? comment : sample)) << line;
  EXPECT_EQ(text.back(), '\n');
}

TEST(Prometheus, every_line_is_of_the_format) {
  expect_well_formed(rendered(sample_report()));
  expect_well_formed(rendered({}));
  auto hostile = sample_report();
  hostile.counters[0].name = "a\"b\\c\nd\xff{} 1";
  hostile.counters[1].reason = "quote \" and \\ and\nbreak";
  hostile.counters[2].claimed = real(std::numeric_limits<double>::quiet_NaN());
  expect_well_formed(rendered(hostile));
}

TEST(Prometheus, a_byte_count_keeps_all_its_digits) {
  auto report = clean_report();
  report.counters[0].claimed = number(9'007'199'254'740'993);  // no double has it
  EXPECT_TRUE(has_line(rendered(report), "assay_runtime_weights_h2d_bytes_total 9007199254740993"));
}

TEST(Prometheus, times_are_in_seconds) {
  EXPECT_TRUE(
      has_line(rendered(sample_report()), "assay_runtime_weights_h2d_seconds_total 3.82e-05"))
      << rendered(sample_report());
}

TEST(Prometheus, what_has_no_number_has_a_reason_and_no_sample) {
  const std::string text = rendered(sample_report());
  EXPECT_EQ(text.find("random_draws_total "), std::string::npos);
  EXPECT_TRUE(has_line(text,
                       "assay_audit_absent{counter=\"runtime.sampling.random_draws_count\",reason="
                       "\"not applicable: greedy decoding draws no random number\"} 1"));
}

TEST(Prometheus, the_verdict_of_every_counter_is_a_row) {
  const auto report = sample_report();
  const std::string text = rendered(report);
  for (const auto& line : report.counters)
    EXPECT_NE(text.find("assay_audit_verdict{counter=\"" + line.name + "\""), std::string::npos);
  EXPECT_TRUE(has_line(text, "assay_audit_counters{verdict=\"disagree\"} 1"));
  EXPECT_TRUE(has_line(text, "assay_audit_exit_code 1"));
}

TEST(Prometheus, two_names_that_come_to_one_do_not_spoil_the_file) {
  auto report = clean_report();
  report.counters[0].name = "a.b_bytes";
  report.counters[1] = report.counters[0];
  report.counters[1].name = "a-b_bytes";
  const std::string text = rendered(report);
  EXPECT_TRUE(has_line(text,
                       "assay_audit_absent{counter=\"a-b_bytes\",reason=\"another counter has "
                       "the same metric name\"} 1"));
}

TEST(MetricName, has_base_units_and_total_where_it_only_grows) {
  EXPECT_EQ(metric_of("runtime.engine.ttft_ns", "duration", "ns").name,
            "assay_runtime_engine_ttft_seconds_total");
  EXPECT_EQ(metric_of("runtime.kv.live_pages", "gauge", "pages").name,
            "assay_runtime_kv_live_pages");
  EXPECT_EQ(metric_of("runtime.weights.h2d_bytes_per_s", "rate", "bytes_per_s").name,
            "assay_runtime_weights_h2d_bytes_per_second");
  EXPECT_EQ(metric_of("runtime.device.syncs_count", "count", "count").name,
            "assay_runtime_device_syncs_total");
  EXPECT_EQ(metric_of("runtime.arena.peak_bytes", "peak", "bytes").type, "gauge");
}

TEST(MetricName, no_two_counters_of_the_catalog_share_one) {
  std::set<std::string> names;
  for (const auto& c : telemetry::catalog())
    EXPECT_TRUE(
        names.insert(metric_of(c.name.value, to_string(c.kind.value), to_string(c.unit.value)).name)
            .second)
        << c.name.value;
}

}  // namespace
}  // namespace assay::reports
