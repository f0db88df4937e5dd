// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this, the bytes that a scenario states beforehand could be any number: each request is
// judged, their sum was printed and compared with nothing.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "harness/cli/audited_run.h"
#include "scenarios/registry.h"
#include "tests/selftest/memory_trace.h"

namespace assay::selftest_test {
namespace {

constexpr std::int64_t embedded_context_tokens = 2048;

std::string fact_of(const model::audit_report& report, std::string_view name) {
  const auto found = std::find_if(report.facts.begin(), report.facts.end(),
                                  [&](const model::fact& fact) { return fact.name == name; });
  return found == report.facts.end() ? "no such fact" : found->value;
}

// As the fact words it.
std::string claimed_of(const model::audit_report& report, std::string_view name) {
  const auto found =
      std::find_if(report.counters.begin(), report.counters.end(),
                   [&](const model::counter_line& line) { return line.name == name; });
  return found == report.counters.end() ? "no such counter"
                                        : std::to_string(found->claimed.integer) + " bytes";
}

class RegisteredScenario : public ::testing::TestWithParam<std::size_t> {};

TEST_P(RegisteredScenario, moves_the_bytes_that_it_states_beforehand) {
  cli::run_options options = cli::default_run_options().value();
  options.scenario =
      scenarios::cut_to_context(scenarios::registry()[GetParam()], embedded_context_tokens).value();
  selftest::instrument honest;
  memory_trace trace;
  const std::array<cli::track, 1> tracks{{{&honest, &trace}}};
  ASSERT_TRUE(cli::audited_run(options, tracks, [](std::string_view) {}));
  const model::audit_report report = trace.audit();
  for (const auto& [fact, counter] :
       {std::pair{"expected weight reads", "runtime.compute.weight_bytes"},
        std::pair{"expected KV reads", "runtime.kv.read_bytes"},
        std::pair{"expected KV appends", "runtime.kv.append_bytes"},
        std::pair{"expected h2d after the load", "runtime.inputs.h2d_bytes"},
        std::pair{"expected d2h", "runtime.logits.d2h_bytes"}})
    EXPECT_EQ(fact_of(report, fact), claimed_of(report, counter)) << counter;
}

INSTANTIATE_TEST_SUITE_P(Each, RegisteredScenario,
                         ::testing::Range<std::size_t>(0, scenarios::registry().size()),
                         [](const auto& each) {
                           std::string name(scenarios::registry()[each.param].name);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace assay::selftest_test
