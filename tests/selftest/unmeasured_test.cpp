// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this file a counter could lose a reference and slip from agree to unmeasured: the run
// would stay clean, and nobody would see that less is judged than before.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include "harness/cli/audited_run.h"
#include "reports/json/audit_json.h"
#include "reports/model/outcome.h"
#include "reports/text/audit_text.h"
#include "tests/selftest/faulty_run.h"

namespace assay::selftest_test {
namespace {

using model::verdict;

// The run that `assay audit` makes.
const memory_trace& default_run() {
  static const memory_trace trace = [] {
    cli::run_options options = cli::default_run_options().value();
    options.scenario = scenarios::embedded_scenario(options.checkpoint).value();
    selftest::instrument honest;
    memory_trace made;
    const std::array<cli::track, 1> tracks{{{&honest, &made}}};
    const auto ran = cli::audited_run(options, tracks, [](std::string_view) {});
    EXPECT_TRUE(ran.has_value()) << (ran ? "" : ran.error().message);
    return made;
  }();
  return trace;
}

// One line a counter and reason; figures that differ from run to run stand behind it. The load is
// there for a machine that reads the checkpoint from its disk in the run: nothing tells how long
// its caller waited for that. The encode is there for one whose hypervisor takes a slice in it:
// then the kernel's accounts do not explain the harness's own span.
std::set<std::string> accepted() {
  const std::filesystem::path file =
      std::filesystem::path(ASSAY_SOURCE_DIR) / "tests/selftest/golden/unmeasured.txt";
  std::ifstream in(file);
  EXPECT_TRUE(in.good()) << file;
  std::set<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.insert(line);
  return lines;
}

bool is_listed(const std::set<std::string>& list, const model::counter_line& line) {
  const std::string said = line.name + ": " + line.reason;
  return std::any_of(list.begin(), list.end(),
                     [&](const std::string& each) { return said.starts_with(each); });
}

TEST(Unmeasured, is_only_what_stands_on_the_list_and_for_its_reason) {
  const model::audit_report report = default_run().audit();
  const std::set<std::string> list = accepted();
  EXPECT_EQ(list.size(), 36u);
  for (const model::counter_line& line : report.counters)
    EXPECT_TRUE(line.verdict != verdict::unmeasured || is_listed(list, line))
        << line.name << ": " << line.reason;
  EXPECT_EQ(count_of(report, verdict::disagree) + count_of(report, verdict::undecided), 0u)
      << reports::audit_as_text(report);
}

TEST(Unmeasured, leaves_nine_of_ten_counters_that_agree) {
  const model::audit_report report = default_run().audit();
  EXPECT_GE(report.counters.size(), 40u);
  const auto absent = static_cast<std::size_t>(std::count_if(
      report.counters.begin(), report.counters.end(), [](const model::counter_line& line) {
        return line.name.starts_with("runtime.graph.") ||
               line.name.starts_with("runtime.choices.") ||
               line.reason == "without a limit every weight is resident";
      }));
  EXPECT_EQ(absent, 27u) << "what only a GPU has, or a run under a limit";
  EXPECT_GE(count_of(report, verdict::agree) * 10, (report.counters.size() - absent) * 9);
}

// Two sides of a bound may come from two sources, and only together are they a reference. Records
// and events come from the same workers through the same observer: they are one party here.
TEST(Agreement, rests_on_two_different_sources) {
  for (const model::counter_line& line : default_run().audit().counters) {
    if (line.verdict != verdict::agree) continue;
    std::set<std::string> sources;
    for (const model::reference& by : line.references)
      if (by.holds && !by.is_void && by.compared_windows > 0)
        sources.insert(by.source == "events" ? "device records" : by.source);
    EXPECT_GE(sources.size(), 2u) << line.name;
  }
}

TEST(Audit, of_one_trace_gives_one_report_byte_for_byte) {
  const auto json = [] {
    const model::audit_report report = default_run().audit();
    return reports::audit_as_json(report, outcome_of(report));
  };
  const std::string first = json();
  EXPECT_GT(first.size(), 10'000u);
  EXPECT_EQ(first, json());
}

}  // namespace
}  // namespace assay::selftest_test
