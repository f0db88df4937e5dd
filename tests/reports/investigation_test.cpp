// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this, a figure could stand above the finding that voids it, a form could leave out a
// section that another has, or a name out of a trace could become markup.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "reports/html/escape.h"
#include "reports/html/investigation_html.h"
#include "reports/html/plot_library.h"
#include "reports/html/trend_html.h"
#include "reports/json/investigation_json.h"
#include "reports/markdown/investigation_markdown.h"
#include "reports/model/step_sample.h"
#include "reports/text/investigation_text.h"
#include "reports/wording/investigation_words.h"
#include "reports/wording/roofline_table.h"
#include "tests/reports/rendered.h"
#include "tests/reports/sample_conditions.h"
#include "tests/reports/sample_report.h"

namespace assay::reports {
namespace {

void expect_golden(const std::string& rendered, const std::string& name) {
  const std::filesystem::path folder = ASSAY_RENDERED;
  std::filesystem::create_directories(folder);
  std::ofstream(folder / name, std::ios::binary) << rendered;
  const auto golden = std::filesystem::path(ASSAY_SOURCE_DIR) / "tests/reports/golden" / name;
  EXPECT_EQ(rendered, content_of(golden))
      << golden << " differs; if the new output is right, run ci/bless and read the diff";
}

// The plotting library is somebody else's, and checked against its digest where it is built in.
std::string without_library(std::string html) {
  const std::size_t at = html.find(plot_library_script());
  EXPECT_NE(at, std::string::npos);
  return at == std::string::npos ? html : html.erase(at, plot_library_script().size());
}

model::pass_total sample_total() {
  model::pass_total total;
  total.passes = 2;
  total.wall_ns = 20'000;
  total.parts = {8'000, 2'000, 500, 0, 100, 3'000, 400, 1'000};
  total.busy_ns = {8'000, 2'750, 500, 0, 100, 3'000, 2'400, 12'000};
  total.residual_ns = 5'000;
  total.device_busy_ns = 10'600;
  total.allocations = 3;
  total.memory.untimed_calls = 3;
  total.copy_call_ns = 1'400;
  total.copy_calls = 4;
  // One that the plan names and the records tell of; of the others one or neither.
  total.launches = {{{"gated_mlp", "compute", 4096, false, 0, false},
                     6,
                     7'000,
                     7'000,
                     24'576,
                     0,
                     24'576,
                     false,
                     6,
                     600},
                    {{"", "compute", 0, true, 0, false}, 2, 1'000, 1'000, 0, 2'048},
                    {{"head", "compute", 0, false, 8, false}, 2, 900, 900, 0, 0, 16'384},
                    {{"attention", "compute", 0, false, 4, false}, 2, 800, 800, 0, 0, 512, true},
                    {{"", "any", 0, false, 0, true}, 1, 0, 12, 0, 0}};
  total.named_passes = 2;
  total.graph_calls = 1;
  total.graph_call_ns = 450;
  return total;
}

model::bandwidth_line bandwidth(std::string subject, std::int64_t bytes, std::int64_t ns,
                                model::bandwidth_verdict verdict) {
  model::bandwidth_line line;
  line.subject = std::move(subject);
  line.bytes = number(bytes);
  line.time_ns = number(ns);
  line.bytes_per_s = real(static_cast<double>(bytes) * 1e9 / static_cast<double>(ns));
  line.link = "pcie";
  line.soft_bytes_per_s = 12e9;
  line.hard_bytes_per_s = 16e9;
  line.verdict = verdict;
  return line;
}

model::investigation sample_investigation(model::audit_report audit) {
  using model::bandwidth_verdict;
  model::investigation report;
  report.audit = std::move(audit);
  report.decode = sample_total();
  report.prefill.passes = report.prefill.allocations = 1;
  report.prefill.wall_ns = report.prefill.residual_ns = 7'000;
  report.prefill.unbounded_copies = 2;
  report.prefill.memory = {2, 0, 900, 600};
  report.steps = {{0, 0, 0, 8'000, {8'000}, 0}, {0, 1, 9'000, 12'000, {0, 2'000}, 5'000}};
  report.latencies = {{"TTFT", 0, 0, 0, 0, 0, 0, "the trace holds no prefill within a request"},
                      {"ITL", 12, 900, 1'000, 1'500, 2'000, 2'000, ""}};
  report.tokens_per_s = real(912.5);
  report.planned_launches = 6;
  report.cache_bytes = 4'096;
  report.roof = sample_roof();
  report.threads = {{7, false, 2, 25'000, 3'000, 600, 21'400, 19'600, 2, 1'800},
                    {9, true, 2, 25'000, 100, 0, 24'900, 0, 0, 0}};
  report.bandwidths = {
      bandwidth("h2d weights", 7'870'916'608, 1'272'000'000, bandwidth_verdict::plausible),
      bandwidth("runtime.weights.h2d_ns", 7'870'916'608, 30'000'000,
                bandwidth_verdict::impossible)};
  report.bandwidths[1].is_claim = true;
  model::bandwidth_line open;
  open.subject = "d2d kv_append";
  open.bytes = number(512);
  open.time_ns = number(0);
  open.bytes_per_s = absent("the time is 0");
  open.reason = "the time is 0";
  report.bandwidths.push_back(open);
  report.links = {{"pcie", 3, 11e9, 12e9, 10.5e9, 12.1e9}};
  report.levels = {{"runtime.kv.live_pages", "pages", "gauge", 3, 1, 4, 0, 4, {{0, 0, 4}}}};
  report.flows = {{"runtime.paging.hits_count", "count", 2, 5, 2, 3, {{10, 2, 2}, {20, 3, 3}}},
                  {"runtime.paging.h2d_bytes", "bytes", 2, 8, 4, 4, {{10, 4, 4}, {20, 4, 4}}}};
  report.deviations = {{"runtime.paging.h2d_ns",
                        "ns",
                        "events",
                        true,
                        2,
                        1,
                        -900,
                        -900,
                        0,
                        20,
                        {{10, 0, 0}, {20, -900, -900}}},
                       {"runtime.paging.h2d_bytes",
                        "bytes",
                        "ledger",
                        false,
                        2,
                        0,
                        0,
                        0,
                        0,
                        10,
                        {{10, 0, 0}, {20, 0, 0}}}};
  report.conditions = sample_conditions();
  report.blind_spots = {"Which operator a launch was: the trace names none"};
  return report;
}

// A share of the ceiling says nothing of memory where the set of a step fits a cache.
TEST(Launches, say_which_tier_a_step_can_have_read_from) {
  auto report = sample_investigation(clean_report());
  const auto says = [&](const char* words) {
    return investigation_as_text(report).find(words) != std::string::npos;
  };
  // 26,624 B in 2 passes.
  EXPECT_TRUE(says("13,312 B by the records, three times or more the largest cache of 4,096 B"));
  report.cache_bytes = 4'438;
  EXPECT_TRUE(says("a cache may have served any of these"));
  for (auto& each : report.decode.launches) each.weight_bytes = each.kv_bytes = 0;
  EXPECT_TRUE(says("20,736 B of weights by the ledger"));
  EXPECT_TRUE(says("no record tells what was read"));
  for (auto& each : report.decode.launches) each.planned_weight_bytes = 0;
  EXPECT_TRUE(says("What a step reads is not told"));
  report.cache_bytes = 0;
  EXPECT_TRUE(says("The trace states no cache's size"));
}

TEST(Golden, investigation_in_every_form) {
  const model::investigation found = sample_investigation(sample_report());
  const auto outcome = model::outcome_of(found.audit);
  expect_golden(investigation_as_text(found), "investigation.txt");
  expect_golden(investigation_as_markdown(found), "investigation.md");
  expect_golden(investigation_as_json(found, outcome), "investigation.json");
  expect_golden(without_library(investigation_as_html(found)), "investigation.html");
}

model::investigation_difference sample_difference() {
  model::investigation_difference out;
  out.first = sample_investigation(clean_report());
  out.second = sample_investigation(clean_report());
  out.aligned_steps = 2;
  out.one_sided_steps = 1;
  out.repeats = 12;
  out.level_ratio = 0.9875;
  out.token_ids = model::difference_verdict::same;
  using verdict = model::difference_verdict;
  out.times = {
      {"step", false, false, 8'000, 9'000, 1'000, true, 400, 1'500, 160, verdict::apart},
      {"compute", false, false, 5'000, 5'010, 10, true, -80, 90, 100, verdict::cannot_tell},
      {"residual", false, false, 0, 0, 0, false, 0, 0, 2'000, verdict::cannot_tell},
      {"launch of compute, reads KV", true, false, 700, 600, -100, true, -150, -50, 14,
       verdict::apart}};
  out.runs = {{false, 1, model::outcome::clean, {}, 8'000},
              {true, 1, model::outcome::clean, {}, 9'000}};
  out.counts = {{"decode passes", "count", number(2), number(2), verdict::same},
                {"copied: h2d weights", "bytes", number(4096), number(8192), verdict::differs},
                {"gone", "bytes", number(1), absent("not in this trace"), verdict::differs}};
  out.facts = {{"build id", "aa", "bb"}, {"governor", "", "performance"}};
  out.pairs = {{8'000, 9'000}, {12'000, 12'500}};
  // Another clock throughout, and throttles that only this one could count.
  out.second.conditions[0].most = 2'500'000'000;
  out.second.conditions[0].least = 2'400'000'000;
  out.first.conditions[0].least = 3'100'000'000;
  out.second.conditions[1].samples = 2;
  out.second.conditions[1].reads_as = "not once during the run";
  out.blind_spots = {"Whether the machine made the difference"};
  return out;
}

TEST(Golden, difference_of_two_investigations_in_every_form) {
  const auto found = sample_difference();
  expect_golden(difference_as_text(found), "investigation.two.txt");
  expect_golden(difference_as_markdown(found), "investigation.two.md");
  expect_golden(difference_as_json(found, model::outcome_of(found)), "investigation.two.json");
  expect_golden(without_library(difference_as_html(found)), "investigation.two.html");
}

// Of several runs a side: a time may be larger, and what varies within a side is doubted.
model::investigation_difference sample_repeats() {
  auto out = sample_difference();
  using verdict = model::difference_verdict;
  out.runs = {{false, 1, model::outcome::clean, {}, 8'000},
              {false, 2, model::outcome::clean, {}, 8'200},
              {true, 1, model::outcome::clean, {}, 9'000},
              {true, 2, model::outcome::found, {"R04", "R05"}, 9'100}};
  out.repeats = 0;
  out.times[0].verdict = verdict::larger;
  out.times[3].verdict = verdict::smaller;
  out.times.push_back(out.times[3]);
  out.times.back().is_paced = true;
  out.counts[1].verdict = verdict::cannot_tell;
  return out;
}

TEST(Golden, difference_of_several_runs_in_every_form) {
  const auto found = sample_repeats();
  expect_golden(difference_as_text(found), "investigation.several.txt");
  expect_golden(difference_as_json(found, model::outcome_of(found)), "investigation.several.json");
  EXPECT_EQ(model::outcome_of(found), model::outcome::found);
  EXPECT_NE(difference_as_markdown(found).find("at the others' pace"), std::string::npos);
  EXPECT_NE(difference_as_html(found).find("Runs of both sides"), std::string::npos);
}

model::trend_report sample_trends() {
  model::trend_report out;
  out.least_points = 10;
  out.results = 12;
  model::trend_series speed{"report", "decode speed", "", "tokens_per_s", {}, {}, 1, true};
  for (int at = 0; at < 12; ++at)
    speed.points.push_back({fmt::format("{:x}", 0xabc000 + at), 1'700'000'000'000'000'000 + at,
                            at < 6 ? 100.5 + at % 2 : 80.25 + at % 2});
  speed.changes = {{6, 101.0, 81.0, 0.005}};
  model::trend_series still{"audit", "runtime.arena.peak_bytes", "", "bytes", {}, {}, 0, false};
  still.points = {{"", 1'700'000'000'000'000'000, 4096.0}};
  out.series = {still, speed};
  return out;
}

TEST(Golden, trends_as_html) {
  expect_golden(without_library(trends_as_html(sample_trends())), "trends.html");
}

TEST(Trends, a_change_has_its_commit_range_and_its_line) {
  const std::string html = trends_as_html(sample_trends());
  EXPECT_NE(html.find("abc005..abc006"), std::string::npos);
  EXPECT_NE(html.find("\"marks\":[{\"place\":7"), std::string::npos);
  EXPECT_NE(html.find("not looked for: fewer than 10 values"), std::string::npos);
}

TEST(Trends, thinning_out_keeps_extremes_and_changes) {
  auto trends = sample_trends();
  auto& speed = trends.series[1];
  speed.points.assign(5'000, {"c", 1, 50.0});
  for (std::size_t at = 0; at < 5'000; ++at) speed.points[at].value = 50.0 + double(at % 3);
  speed.points[1'234].value = 9'876.5;
  speed.points[4'321].value = 0.125;
  speed.changes = {{2'501, 1.0, 2.0, 0.01}};
  const std::string html = trends_as_html(trends);
  for (const char* kept : {"<td>1235<td>c<td>9876.5", "<td>4322<td>c<td>0.125", "<td>2502<td>c"})
    EXPECT_NE(html.find(kept), std::string::npos) << kept;
  EXPECT_LT(html.size(), 200'000u);
}

// Whatever follows "</script", a name that holds it must not end the plotted data.
TEST(Trends, a_name_cannot_end_the_plotted_data) {
  auto trends = sample_trends();
  const std::size_t honest = count_of(trends_as_html(trends), "</script");
  trends.series[1].name = trends.series[1].points[3].commit = "</script x><!--<script";
  const std::string html = trends_as_html(trends);
  EXPECT_EQ(count_of(html, "</script"), honest);
  EXPECT_EQ(html.find("<!--"), std::string::npos);
}

TEST(Trends, foreign_text_is_inert) {
  auto trends = sample_trends();
  const std::string evil = "</script><script>alert(1)</script>'\" \xe2\x80\xae";
  trends.series[1].name = trends.series[1].unit = trends.series[1].verb = evil;
  for (auto& each : trends.series[1].points) each.commit = evil;
  const std::string html = trends_as_html(trends);
  EXPECT_EQ(html.find("<script>alert"), std::string::npos);
  EXPECT_EQ(html.find("\xe2\x80\xae"), std::string::npos);
}

TEST(Headline, names_a_rule_that_explains_in_two_ways_once) {
  model::investigation report = sample_investigation(sample_report());
  std::vector<model::explanation>& why = report.audit.findings.front().explanations;
  const std::string before = investigation_headline(report).front();
  why.push_back(why.back());
  EXPECT_EQ(investigation_headline(report).front(), before);
}

TEST(Difference, what_an_audit_found_stands_first_and_names_the_side) {
  auto found = sample_difference();
  found.second.audit = sample_report();
  found.runs.back().audit = model::outcome_of(found.second.audit);
  const std::string text = difference_as_text(found);
  EXPECT_EQ(text.rfind("Of the second: FOUND", 0), 0u) << text.substr(0, 200);
  EXPECT_EQ(model::outcome_of(found), model::outcome_of(sample_report()));
}

TEST(Difference, no_aligned_step_is_said_before_anything_else) {
  auto found = sample_difference();
  found.aligned_steps = 0;
  found.times.clear();
  found.pairs.clear();
  for (const std::string& form :
       {difference_as_text(found), difference_as_markdown(found), difference_as_html(found)})
    EXPECT_NE(form.find("NOT COMPARABLE"), std::string::npos);
  EXPECT_EQ(model::outcome_of(found), model::outcome::not_comparable);
}

TEST(Difference, foreign_text_is_inert) {
  auto found = sample_difference();
  const std::string evil = "<script>alert(1)</script>|[a](b)\n# c\x1b[31m\xe2\x80\xae";
  found.times[0].subject = found.counts[0].subject = found.facts[0].name = evil;
  found.facts[0].first = found.blind_spots[0] = found.counts[0].unit = evil;
  const std::string html = difference_as_html(found);
  EXPECT_EQ(html.find("<script>alert"), std::string::npos);
  EXPECT_EQ(html.find("\xe2\x80\xae"), std::string::npos);
  const std::string markdown = difference_as_markdown(found);
  EXPECT_EQ(markdown.find("[a](b)"), std::string::npos);
  EXPECT_EQ(markdown.find("\n# c"), std::string::npos);
  EXPECT_EQ(difference_as_text(found).find('\x1b'), std::string::npos);
}

TEST(Investigation, what_the_audit_found_stands_before_every_figure) {
  const model::investigation found = sample_investigation(sample_report());
  ASSERT_FALSE(found.audit.findings.empty());
  const auto lines = investigation_headline(found);
  EXPECT_EQ(lines.front().rfind("FOUND", 0), 0u) << lines.front();
  for (const model::finding& each : found.audit.findings) {
    EXPECT_NE(lines.front().find(each.rule), std::string::npos) << each.rule;
    EXPECT_NE(lines.front().find(each.subject), std::string::npos) << each.subject;
  }
  for (const std::string& page : {investigation_as_text(found), investigation_as_markdown(found)})
    EXPECT_LT(page.find("FOUND"), page.find("912.5 tokens/s"));
  const std::string html = investigation_as_html(found);
  EXPECT_LT(html.find("FOUND"), html.find("912.5 tokens/s"));
}

TEST(Investigation, a_clean_run_begins_with_what_was_run) {
  const auto lines = investigation_headline(sample_investigation(clean_report()));
  EXPECT_EQ(lines.front().rfind("Run:", 0), 0u) << lines.front();
}

TEST(Investigation, every_form_has_every_section) {
  const model::investigation found = sample_investigation(sample_report());
  const std::string text = investigation_as_text(found);
  const std::string markdown = investigation_as_markdown(found);
  const std::string html = investigation_as_html(found);
  for (const word_table& table : investigation_tables(found)) {
    for (const std::string* page : {&text, &markdown})
      EXPECT_NE(page->find(table.title), std::string::npos) << table.title;
    EXPECT_NE(html.find(html_escaped(table.title)), std::string::npos) << table.title;
  }
}

TEST(Investigation, foreign_text_is_inert_in_a_page_and_in_markdown) {
  model::audit_report audit = sample_report();
  const std::string evil =
      "<script>alert(1)</script>\"'` onload=x \x1b[31m\xe2\x80\xae|[a](b)\n# c";
  audit.counters[0].name = evil;
  audit.facts.push_back({evil, evil});
  audit.findings[0].subject = evil;
  model::investigation found = sample_investigation(audit);
  found.bandwidths[0].subject = found.blind_spots[0] = evil;
  found.roof.points[0].which.op = found.roof.arithmetic[0].how = evil;
  found.levels[0].name = found.flows[0].name = found.deviations[0].name = evil;
  found.levels[0].unit = found.deviations[0].unit = evil;
  found.conditions[0].name = found.conditions[0].reads_as = found.conditions[1].absence = evil;
  const std::string html = investigation_as_html(found);
  EXPECT_EQ(html.find("<script>alert"), std::string::npos);
  EXPECT_EQ(html.find("\xe2\x80\xae"), std::string::npos);
  EXPECT_EQ(html.find('\x1b'), std::string::npos);
  const std::string markdown = investigation_as_markdown(found);
  EXPECT_EQ(markdown.find("<script>"), std::string::npos);
  EXPECT_EQ(markdown.find("[a](b)"), std::string::npos);
  EXPECT_EQ(markdown.find("\n# c"), std::string::npos);
  EXPECT_EQ(investigation_as_text(found).find('\x1b'), std::string::npos);
}

TEST(Investigation, a_page_loads_nothing) {
  // The library's first line names where it comes from; that it fetches nothing is seen in a
  // browser (browser_test.py).
  const std::string html =
      without_library(investigation_as_html(sample_investigation(sample_report())));
  for (const char* reach : {"http://", "https://", "src=", "<link", "@import", "url("})
    EXPECT_EQ(html.find(reach), std::string::npos) << reach;
}

TEST(Investigation, ten_thousand_steps_make_a_page_below_three_megabytes_with_its_extremes) {
  model::investigation found = sample_investigation(clean_report());
  found.steps.assign(10'000, {});
  for (std::size_t at = 0; at < found.steps.size(); ++at) {
    found.steps[at].wall_ns = 100'000'000 + static_cast<std::int64_t>(at % 97) * 1'000;
    found.steps[at].parts.fill(10'000'000 + static_cast<std::int64_t>(at));
  }
  found.steps[7'321].wall_ns = 999'999'991;
  found.steps[2'345].wall_ns = 11'111'113;
  const std::string html = investigation_as_html(found);
  EXPECT_LT(html.size(), 3'000'000u);
  for (const char* extreme : {"<td>999999991", "<td>11111113", ",999999991", ",11111113"})
    EXPECT_NE(html.find(extreme), std::string::npos) << extreme;
}

TEST(Investigation, what_is_plotted_stands_in_the_page_without_a_script_as_well) {
  const std::string html = investigation_as_html(sample_investigation(clean_report()));
  EXPECT_NE(html.find("<td>8000<td>8000"), std::string::npos);
  EXPECT_NE(html.find("<svg class=\"picture\""), std::string::npos);
  EXPECT_NE(html.find("wall from 8.000"), std::string::npos) << "of the picture, for who hears it";
  // A counter that never moved has a row and no plot.
  EXPECT_NE(html.find("1 more never changed"), std::string::npos);
}

TEST(Investigation, a_table_whose_parts_miss_the_wall_time_says_so) {
  model::investigation found = sample_investigation(clean_report());
  EXPECT_EQ(investigation_as_text(found).find("this table is wrong"), std::string::npos);
  found.decode.closure_ns = 17;
  EXPECT_NE(investigation_as_text(found).find("this table is wrong"), std::string::npos);
}

// Of a pass with more of them than are held nothing is known: that is not none.
TEST(Investigation, overheads_of_passes_that_were_not_held_are_not_called_none) {
  model::investigation found = sample_investigation(clean_report());
  found.decode.overhead = found.prefill.overhead = {};
  found.decode.passes = 5;
  found.decode.overhead.passes = 4;
  found.prefill.overhead.passes = found.prefill.passes;
  const std::string text = investigation_as_text(found);
  EXPECT_EQ(text.find("None in a prefill or a decode step."), std::string::npos);
  EXPECT_NE(text.find("Of 1 pass nothing is known"), std::string::npos);
  found.decode.overhead.of_caller.at(0) = {1, 5};
  EXPECT_NE(investigation_as_text(found).find("Of 1 pass nothing is known"), std::string::npos);
}

TEST(Roofline, names_passes_that_no_plan_counts) {
  model::roofline_point point;
  point.is_prefill = point.is_total = true;
  point.launches = point.passes = 8;
  EXPECT_EQ(point_words(point), "prefill, all launches");
  point.launches = 5;
  EXPECT_EQ(point_words(point), "prefill, launches of 5 of 8 passes");
  point.is_prefill = false;
  EXPECT_EQ(point_words(point), "decode, launches of 5 of 8 steps");
  point.launches = 8;
  EXPECT_EQ(point_words(point), "decode, all launches");
}

TEST(Investigation, thinning_out_keeps_the_longest_and_the_shortest_step) {
  std::vector<model::pass_line> steps(10'001);
  for (std::size_t at = 0; at < steps.size(); ++at) {
    steps[at].index = at;
    steps[at].wall_ns = 1'000 + static_cast<std::int64_t>(at % 7);
  }
  steps[4'321].wall_ns = 9'999;
  steps[8'765].wall_ns = 1;
  const auto shown = model::sampled_steps(steps, 200);
  EXPECT_LE(shown.size(), 200u);
  EXPECT_TRUE(std::is_sorted(shown.begin(), shown.end()));
  EXPECT_EQ(std::count(shown.begin(), shown.end(), 4'321u), 1);
  EXPECT_EQ(std::count(shown.begin(), shown.end(), 8'765u), 1);
  EXPECT_EQ(model::sampled_steps(steps, 20'000).size(), steps.size());
}

}  // namespace
}  // namespace assay::reports
