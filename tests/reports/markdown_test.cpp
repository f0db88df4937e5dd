// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this, a pipe in a name would shift every cell behind it, and a trace could put HTML into
// a pull request's comment.
#include <algorithm>
#include <sstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/markdown/audit_markdown.h"
#include "reports/markdown/escape.h"
#include "tests/reports/sample_report.h"

namespace assay::reports {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::size_t cells(const std::string& row) {
  std::size_t borders = 0;
  for (std::size_t at = 0; at < row.size(); ++at)
    if (row[at] == '|' && (at == 0 || row[at - 1] != '\\')) ++borders;
  return borders;
}

TEST(Markdown, escapes_what_would_end_a_cell_or_start_markup) {
  EXPECT_EQ(markdown_escaped("a|b"), "a\\|b");
  EXPECT_EQ(markdown_escaped("a\nb"), "a b");
  EXPECT_EQ(markdown_escaped("<img>"), "&lt;img>");
  EXPECT_EQ(markdown_escaped("a &lt; b"), "a &amp;lt; b");
  EXPECT_EQ(markdown_escaped("*x* `y` [z](u)"), "\\*x\\* \\`y\\` \\[z\\](u)");
  EXPECT_EQ(markdown_escaped("\\|"), "\\\\\\|");
}

TEST(Markdown, leaves_underscores_within_a_name_and_escapes_those_at_its_edge) {
  EXPECT_EQ(markdown_escaped("runtime.kv.append_bytes"), "runtime.kv.append_bytes");
  EXPECT_EQ(markdown_escaped("_x_ __y"), "\\_x\\_ \\_\\_y");
}

TEST(Markdown, a_hostile_name_leaves_the_table_its_columns) {
  auto report = sample_report();
  report.counters[0].name = "a|b\nc`d\\|e";
  report.counters[0].reason = "| | |";
  std::istringstream lines(audit_as_markdown(report));
  std::string line;
  bool is_counters = false;
  int rows = 0;
  while (std::getline(lines, line)) {
    if (line.starts_with("## ")) is_counters = line == "## Counters";
    if (!is_counters || !line.starts_with("|")) continue;
    ++rows;
    EXPECT_EQ(cells(line), 5u) << line;
  }
  EXPECT_EQ(rows, 8);
}

TEST(Markdown, a_cell_prints_the_reason_of_an_absence) {
  const std::string text = audit_as_markdown(sample_report());
  EXPECT_THAT(text, HasSubstr("not applicable: greedy decoding draws no random number"));
  EXPECT_THAT(text, Not(HasSubstr("||")));
}

}  // namespace
}  // namespace assay::reports
