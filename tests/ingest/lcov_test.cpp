// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this, a cut-off tracefile could pass for a whole one, or a diff's line numbers be off by
// one.
#include <gmock/gmock.h>

#include "harness/ingest/assay_counts.h"
#include "harness/ingest/formats.h"
#include "harness/ingest/lcov.h"

namespace assay::ingest {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string lcov_complaint(const std::string& text) {
  const auto data = parse_lcov(text, "f.info");
  return data ? "taken" : data.error().message;
}

TEST(Lcov, lines_and_branches_are_read_and_files_added_up) {
  const auto data = parse_lcov(
      "TN:\nSF:/src/a.cpp\nFN:1,f\nFNDA:2,f\nDA:1,2\nDA:2,0,checksum\nBRDA:1,0,0,1\nBRDA:1,0,1,-\n"
      "LF:9\nLH:9\nend_of_record\r\nSF:/src/a.cpp\nDA:2,3\nDA:3,-1\nend_of_record\n",
      "f.info");
  ASSERT_TRUE(data) << data.error().message;
  ASSERT_EQ(data->size(), 1U);
  const auto& file = data->at("/src/a.cpp");
  EXPECT_EQ(file.line_hits.at(1), 2U);
  EXPECT_EQ(file.line_hits.at(2), 3U);
  EXPECT_EQ(file.line_hits.at(3), 1U);
  ASSERT_EQ(file.branch_hits.size(), 2U);
  EXPECT_EQ(file.branch_hits.begin()->second, 1U);
}

TEST(Lcov, what_is_none_is_refused_with_its_line) {
  EXPECT_THAT(lcov_complaint(""), HasSubstr("names no file"));
  EXPECT_THAT(lcov_complaint("SF:a\nDA:1,1\n"), HasSubstr("f.info: line 2: ends within a file"));
  EXPECT_THAT(lcov_complaint("DA:1,1\n"), HasSubstr("line 1: counts before any file"));
  EXPECT_THAT(lcov_complaint("SF:a\nSF:b\n"), HasSubstr("line 2: begins a file before"));
  EXPECT_THAT(lcov_complaint("end_of_record\n"), HasSubstr("ends a file that did not begin"));
  EXPECT_THAT(lcov_complaint("SF:a\nDA:x,1\n"), HasSubstr("line 2: is no LINE,HITS"));
  EXPECT_THAT(lcov_complaint("SF:a\nDA:0,1\n"), HasSubstr("is no LINE,HITS"));
  EXPECT_THAT(lcov_complaint("SF:a\nBRDA:1,0,1\n"), HasSubstr("is no LINE,BLOCK"));
  EXPECT_THAT(lcov_complaint("{\"json\": 1}"), HasSubstr("names no file"));
}

TEST(Diff, added_lines_have_the_numbers_of_the_new_file) {
  const auto touched = parse_diff(
      "diff --git a/src/a.cpp b/src/a.cpp\nindex 1..2 100644\n--- a/src/a.cpp\n+++ b/src/a.cpp\n"
      "@@ -1,3 +1,4 @@ int main() {\n one\n-two\n+TWO\n+three\n four\n@@ -10 +11,2 @@\n "
      "ten\n+eleven\n"
      "\\ No newline at end of file\n"
      "diff --git a/gone b/gone\n--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"
      "--- /dev/null\n+++ b/new file\t\n@@ -0,0 +1,2 @@\n+++ b/looks like a header\n+y\n",
      "d");
  ASSERT_TRUE(touched) << touched.error().message;
  EXPECT_EQ(touched->size(), 2U);
  EXPECT_THAT(touched->at("src/a.cpp"), ElementsAre(2, 3, 12));
  EXPECT_THAT(touched->at("new file"), ElementsAre(1, 2));
}

TEST(Diff, cut_off_or_broken_hunk_is_refused) {
  const auto said = [](const std::string& text) {
    const auto touched = parse_diff(text, "d");
    return touched ? std::string("taken") : touched.error().message;
  };
  EXPECT_THAT(said("+++ b/a\n@@ -1,2 +1,2 @@\n one\n"), HasSubstr("d: line 3: ends within a hunk"));
  EXPECT_THAT(said("+++ b/a\n@@ -1,1 +1,1 @@\n-a\nx\n"), HasSubstr("does not belong"));
  EXPECT_THAT(said("@@ -1,1 1,1 @@\n"), HasSubstr("is no @@"));
  EXPECT_THAT(said(""), HasSubstr("taken"));
  EXPECT_THAT(said("fatal: bad revision\n"), HasSubstr("no diff"));
  EXPECT_THAT(said("diff --git a/x b/x\nBinary files a/x and b/x differ\n"), HasSubstr("taken"));
  EXPECT_THAT(said("diff --cc a\n--- a/a\n+++ b/a\n@@@ -1,1 -1,1 +1,2 @@@\n++x\n +y\n"),
              HasSubstr("d: line 4: is of a combined diff"));
}

TEST(Counts, are_exact_and_an_absent_one_has_failed) {
  const auto set = parse_results(
      R"({"assay_counts": 1, "rows": [{"name": "runtime.kv.read_bytes", "unit": "bytes", "value": 12},
          {"name": "ids", "unit": "hash", "value": 9007199254740991},
          {"name": "lost", "unit": "count", "absence": "never written"}]})",
      "f", "real_time");
  ASSERT_TRUE(set) << set.error().message;
  EXPECT_EQ(set->format, "Assay counts");
  for (const auto& row : set->rows) EXPECT_TRUE(row.is_exact);
  EXPECT_EQ(set->rows[0].better, model::direction::lower_is_better);
  EXPECT_EQ(set->rows[1].better, model::direction::unknown);
  EXPECT_EQ(set->rows[2].failure, "never written");
  const auto said = [](const std::string& row) {
    const auto taken = parse_assay_counts(R"({"assay_counts": 1, "rows": [)" + row + "]}", "f", "");
    return taken ? std::string("taken") : taken.error().message;
  };
  EXPECT_THAT(said(""), HasSubstr("nothing was counted"));
  EXPECT_THAT(said(R"({"name": "a", "unit": "b"})"), HasSubstr("$.rows[0].value: is missing"));
  EXPECT_THAT(said(R"({"name": "a", "unit": "b", "value": 1.5})"), HasSubstr("no whole number"));
  EXPECT_THAT(said(R"({"name": "a", "unit": "b", "value": 9007199254740993})"),
              HasSubstr("no whole number that is known exactly"));
  EXPECT_THAT(said(R"({"name": "", "unit": "b", "value": 1})"), HasSubstr("is empty"));
  EXPECT_THAT(said(R"({"name": "a", "unit": "b", "absence": ""})"), HasSubstr("gives no reason"));
}

}  // namespace
}  // namespace assay::ingest
