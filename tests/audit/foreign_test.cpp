// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this the promise that any program can be audited would be kept by our own writer alone: a
// C program, which shares nothing with us but the one header, writes the trace that is judged here.
#include <cstdlib>
#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/audit/auditor.h"
#include "probes/trace/pump.h"
#include "probes/trace/trace_reader.h"
#include "reports/model/outcome.h"

namespace assay::audit_test {
namespace {

model::audit_report audit_of_foreign_trace() {
  const std::string path = (std::filesystem::path(testing::TempDir()) / "foreign.assay").string();
  const std::string command = std::string(ASSAY_FOREIGN_PROGRAM) + " '" + path + "'";
  EXPECT_EQ(std::system(command.c_str()), 0);
  auto reader = trace::trace_reader::open(path);
  EXPECT_TRUE(reader.has_value());
  audit::auditor auditor;
  EXPECT_TRUE(trace::pump(*reader, auditor).has_value());
  return auditor.finish(reader->incompleteness()).value();
}

TEST(Foreign, a_trace_of_a_c_program_is_judged_like_our_own) {
  const model::audit_report report = audit_of_foreign_trace();
  ASSERT_FALSE(report.counters.empty());
  for (const model::counter_line& line : report.counters)
    EXPECT_EQ(line.verdict, model::verdict::agree) << line.name << ": " << line.reason;
  EXPECT_TRUE(report.findings.empty());
  EXPECT_EQ(model::outcome_of(report), model::outcome::clean);
}

}  // namespace
}  // namespace assay::audit_test
