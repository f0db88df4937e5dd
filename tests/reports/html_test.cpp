// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this, a page could lose a row, load something from elsewhere, or do what a benchmark's
// name tells it to.
#include <algorithm>
#include <cmath>

#include <gmock/gmock.h>

#include "reports/html/comparison_html.h"
#include "reports/html/escape.h"
#include "reports/html/interval_plot.h"
#include "reports/html/page.h"
#include "reports/html/table.h"
#include "tests/reports/rendered.h"
#include "tests/reports/sample_comparison.h"

namespace assay::reports {
namespace {

using model::row_state;
using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;

TEST(Html, every_row_is_there_with_its_plot) {
  const auto report = sample_comparison();
  const std::string page = comparison_as_html(report, model::outcome::could_not_measure);
  EXPECT_EQ(count_of(page, "<tr class="), report.rows.size());
  for (const auto& row : report.rows) EXPECT_THAT(page, HasSubstr(html_escaped(row.name)));
  const auto drawn = std::count_if(report.rows.begin(), report.rows.end(), [](const auto& row) {
    return !row.is_exact && (row.interval || row.change_ratio);
  });
  EXPECT_EQ(count_of(page, "<svg class=\"plot\""), static_cast<std::size_t>(drawn));
  EXPECT_THAT(page, HasSubstr("Outcome: could not measure (exit code 3)"));
  for (const char* part : {"Not measured", "Controls", "Notes", "cannot have seen", "The run"})
    EXPECT_THAT(page, HasSubstr(part));
}

TEST(Html, loads_nothing) {
  const std::string page = comparison_as_html(sample_comparison(), model::outcome::clean);
  for (const char* way : {"http:", "https:", "src=", "url(", "@import", "<link", "<iframe", "<img"})
    EXPECT_THAT(page, Not(HasSubstr(way))) << way;
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
}

TEST(Html, hostile_text_is_text_everywhere) {
  const std::string hostile =
      "</td></script><script>alert(1)</script><img src=x onerror=alert(1)>\"' onload=x "
      "&amp;`\x01\xff"
      "\xE2\x80\xAE";
  const std::string honest = comparison_as_html(sample_comparison(), model::outcome::found);
  auto report = sample_comparison();
  for (auto& row : report.rows) {
    row.name = row.metric = row.unit = row.reason = row.similar_to = row.margin_source = hostile;
    row.base.absence = row.head.absence = hostile;
  }
  report.is_complete = false;
  report.incompleteness = report.contamination = hostile;
  report.is_contaminated = true;
  for (auto& line : report.controls) line.name = line.detail = hostile;
  report.notes = report.blind_spots = {hostile};
  report.facts = {{hostile, hostile}};
  const std::string page = comparison_as_html(report, model::outcome::found);
  EXPECT_THAT(page, Not(AnyOf(HasSubstr("alert(1)</script>"), HasSubstr("<img"), HasSubstr("\x01"),
                              HasSubstr("\xE2\x80\xAE"))));
  EXPECT_EQ(count_of(page, "<script"), count_of(honest, "<script"));
  EXPECT_EQ(count_of(page, "<tr"), count_of(honest, "<tr"));
  EXPECT_EQ(count_of(page, "<td"), count_of(honest, "<td"));
  // Between tags no quote is left that could end an attribute.
  EXPECT_THAT(page, Not(HasSubstr("\"' onload")));
}

TEST(Html, escaping_keeps_what_reads) {
  EXPECT_EQ(html_escaped("a<b>&\"c'`"), "a&lt;b&gt;&amp;&quot;c&#39;&#96;");
  EXPECT_EQ(html_escaped("µs … 𝄞"), "µs … 𝄞");
  EXPECT_EQ(html_escaped("\xE2\x80\xAE"
                         "abc"),
            "?abc");
  EXPECT_EQ(html_escaped("\xff"), "\xEF\xBF\xBD");
}

TEST(Html, flags_and_colours_are_for_what_was_found) {
  const std::string sure = comparison_as_html(sample_comparison(), model::outcome::found);
  EXPECT_THAT(sure, HasSubstr("🔴"));
  EXPECT_THAT(sure, HasSubstr("<tr class=\"bad\" data-group=\"regressed\">"));
  auto files = doubtful_comparison();
  const std::string unsure = comparison_as_html(files, model::outcome::undecided);
  for (const char* flag : {"🔴", "⚠️", "🟢"}) EXPECT_THAT(unsure, Not(HasSubstr(flag)));
  EXPECT_THAT(unsure, HasSubstr("<tr class=\"doubt\" data-group=\"regressed\">"));
  EXPECT_THAT(unsure, HasSubstr("notice warning"));
}

TEST(Html, numbers_sort_as_numbers_and_absence_has_no_key) {
  html_table table("t", {{"n", cell_kind::number}});
  table.add(row_tone::plain, "g", {{"1,024 B", 1024.0}});
  table.add(row_tone::plain, "g", {{"-", {}}});
  const std::string html = table.render();
  EXPECT_THAT(html, HasSubstr("data-sort=\"1024\">1,024 B<"));
  EXPECT_THAT(html, HasSubstr("data-sort=\"\">-<"));
}

TEST(Html, plot_has_one_axis_and_says_where_it_ends) {
  auto inside = changed_row("a", row_state::unchanged, 0.01);
  inside.interval = model::change_interval{-0.02, 0.04};
  inside.margin_ratio = 0.05;
  const double reach = plot_reach_ln({inside});
  EXPECT_NEAR(reach, std::log(1.05), 1e-12);
  const std::string drawn = interval_plot(inside, reach);
  EXPECT_THAT(drawn, HasSubstr("<rect class=\"band\" x=\"6.0\""));
  EXPECT_THAT(drawn, Not(HasSubstr("<path")));
  auto beyond = inside;
  beyond.interval = model::change_interval{0.5, 9.0};
  EXPECT_NEAR(plot_reach_ln({inside, beyond}), std::log(2.0), 1e-12);
  EXPECT_THAT(interval_plot(beyond, std::log(2.0)), HasSubstr("<path"));
  inside.interval.reset();
  inside.change_ratio.reset();
  EXPECT_EQ(interval_plot(inside, reach), "");
}

TEST(Html, ten_thousand_rows_are_all_there) {
  const std::string page =
      comparison_as_html(long_comparison(10'000, row_state::unchanged), model::outcome::clean);
  EXPECT_EQ(count_of(page, "<tr class="), 10'000U);
}

}  // namespace
}  // namespace assay::reports
