// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this, what users of other tools complained about could be wrong here too. Each line of
// tests/fixtures/compare/traps/verdicts.tsv is a pair of files, the complaint of which it is a case
// (docs/methodology.md lists them), and the verdict.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>

#include <gmock/gmock.h>

#include "harness/compare/stored_comparison.h"
#include "harness/ingest/formats.h"
#include "reports/model/comparison_outcome.h"
#include "tests/ingest/trap_table.h"

namespace assay::ingest {
namespace {

using ingest_test::side_path;
using ingest_test::states_of;
using ingest_test::trap;
using ingest_test::trap_folder;
using ingest_test::traps;
using testing::HasSubstr;

void expect_more(const trap& each, const model::comparison_report& report) {
  if (each.more.starts_with("change=")) {
    const double wanted = std::stod(each.more.substr(7));
    EXPECT_TRUE(std::any_of(report.rows.begin(), report.rows.end(), [&](const auto& row) {
      return row.change_ratio && std::abs(*row.change_ratio - wanted) < 1e-6;
    }));
  }
  if (each.more.starts_with("renamed=")) {
    const std::size_t arrow = each.more.find('>');
    const std::string old_name = each.more.substr(8, arrow - 8);
    for (const auto& row : report.rows) {
      if (row.name != old_name) continue;
      EXPECT_EQ(row.similar_to, each.more.substr(arrow + 1));
    }
  }
}

class Trap : public testing::TestWithParam<trap> {};

TEST_P(Trap, gets_its_verdict) {
  const trap& each = GetParam();
  const auto base = read_results(side_path(each, "base"), "real_time");
  const auto head = read_results(side_path(each, "head"), "real_time");
  if (each.outcome == "unusable") {
    ASSERT_TRUE(base) << base.error().message;
    ASSERT_FALSE(head);
    EXPECT_THAT(head.error().message, HasSubstr(side_path(each, "head") + ": "));
    EXPECT_THAT(head.error().message, HasSubstr(each.rows));
    return;
  }
  ASSERT_TRUE(base) << base.error().message;
  ASSERT_TRUE(head) << head.error().message;
  compare::stored_rules rules;
  if (each.more == "control")
    rules.is_control = [](const std::string& name) { return name == "control"; };
  const auto report = compare::judge_stored(*base, *head, rules);
  EXPECT_EQ(states_of(report), each.rows);
  EXPECT_EQ(to_string(model::outcome_of(report)), each.outcome);
  expect_more(each, report);
}

INSTANTIATE_TEST_SUITE_P(Of, Trap, testing::ValuesIn(traps()),
                         [](const auto& each) { return each.param.name; });

TEST(Traps, are_two_or_more_for_each_complaint) {
  std::map<int, int> count;
  std::set<std::string> names;
  for (const trap& each : traps()) {
    ++count[std::stoi(each.complaint)];
    EXPECT_TRUE(names.insert(each.name).second) << each.name;
  }
  EXPECT_GE(names.size(), 40U);
  for (int complaint = 1; complaint <= 19; ++complaint) EXPECT_GE(count[complaint], 2) << complaint;
}

TEST(Traps, folder_holds_no_case_that_the_table_forgets) {
  std::set<std::string> names;
  for (const trap& each : traps()) names.insert(each.name);
  for (const auto& entry : std::filesystem::directory_iterator(trap_folder())) {
    if (!entry.is_directory()) continue;
    EXPECT_TRUE(names.count(entry.path().filename()) > 0) << entry.path();
  }
}

}  // namespace
}  // namespace assay::ingest
