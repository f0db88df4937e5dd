// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this a broken exposition could be read as a smaller one, and a contract that nobody can
// keep as one that nobody broke.
#include <gmock/gmock.h>

#include "harness/guard/contradictions.h"
#include "harness/ingest/exposition.h"
#include "harness/ingest/guard_contract_json.h"
#include "tests/guard/guarded.h"

namespace assay::guard_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct broken {
  const char* text;
  std::size_t line;
  const char* says;
  bool is_skipped;
  std::size_t samples;
};

const broken lines[] = {
    {"a 1\n%%%\nb 2\n", 2, "no name", true, 2},
    {"a 1\nb\n", 2, "no number", true, 1},
    {"a one\n", 1, "no number but 'one'", true, 0},
    {"a 0x10\n", 1, "no number but '0x10'", true, 0},
    {"a 1e999\n", 1, "no number", true, 0},
    {"a{x=\"1} 1\n", 1, "does not end", true, 0},
    {"a{x=\"1\",x=\"2\"} 1\n", 1, "label 'x' twice", true, 0},
    {"a{x} 1\n", 1, "without '='", true, 0},
    {"a{1x=\"\"} 1\n", 1, "no name", true, 0},
    {"a 1 2 3\n", 1, "goes on", true, 0},
    {"a 1 soon\n", 1, "time that is no number", true, 0},
    {"a 1\na 2\n", 2, "second sample of a, which line 1 has", true, 1},
    {"a{x=\"1\",y=\"2\"} 1\na{y=\"2\",x=\"1\"} 2\n", 2, "second sample", true, 1},
    {"# TYPE a kounter\na 1\n", 1, "'kounter', which is none", true, 1},
    {"# TYPE a counter\n# TYPE a gauge\na 1\n", 2, "second type", true, 1},
    {"# HELP a one\n# HELP a two\na 1\n", 2, "second help", false, 1},
    {"a 1 1900000000000\n", 1, "in the future", false, 1},
    {"a 1 1e300\n", 1, "beyond all calendars", false, 1},
    {"a 1\n\x01\x7f\x02 2\n", 2, "no text", true, 1},
    {"a 1\nb 2", 2, "cut off", false, 2},
};

TEST(Exposition, a_name_in_quotes_may_hold_blanks) {
  const auto snapshots = read("# TYPE \"my own metric\" counter\n{\"my own metric\",x=\"1\"} 3\n");
  ASSERT_EQ(snapshots.size(), 1u);
  EXPECT_THAT(snapshots[0].problems, IsEmpty());
  ASSERT_EQ(snapshots[0].families.size(), 1u);
  EXPECT_EQ(snapshots[0].families[0].name, "my own metric");
  EXPECT_EQ(snapshots[0].families[0].kind, model::metric_kind::counter);
  EXPECT_EQ(read("# TYPE \"never ends counter\na 1\n")[0].problems.size(), 1u);
}

TEST(Exposition, each_broken_line_is_named_and_the_others_are_kept) {
  for (const broken& each : lines) {
    SCOPED_TRACE(each.text);
    const auto snapshots = read(each.text);
    ASSERT_EQ(snapshots.size(), 1u);
    ASSERT_EQ(snapshots[0].problems.size(), 1u);
    EXPECT_EQ(snapshots[0].problems[0].line, each.line);
    EXPECT_THAT(snapshots[0].problems[0].what, HasSubstr(each.says));
    EXPECT_EQ(snapshots[0].problems[0].is_skipped, each.is_skipped);
    EXPECT_EQ(snapshots[0].samples.size(), each.samples);
  }
}

TEST(Exposition, what_is_skipped_is_counted_listed_and_found) {
  const auto report = report_of(contract_with(R"({"name": "a", "kind": "gauge", "unit": "none"})"),
                                {{{"m.prom", "a 1\n???\n\na 2\n"}}});
  EXPECT_EQ(report.skipped_count, 2u);
  ASSERT_EQ(report.skipped.size(), 2u);
  EXPECT_EQ(report.skipped[1].where, "m.prom:4");
  EXPECT_THAT(found_in(report), ElementsAre("input line 2", "input line 4"));
}

TEST(Exposition, labels_numbers_and_times_are_read_as_both_formats_write_them) {
  const auto all = read(
      "# TYPE a counter\r\na_total{ y = \"q\\\"u,o}te\" , x=\"\" , } +1.5e3 1700000000.5 # "
      "{t=\"1\"} 1\n"
      "{\"my.metric\",z=\"1\"} NaN\nb -Inf\n# EOF\n# TYPE a counter\na_total 2\n# EOF\n");
  ASSERT_EQ(all.size(), 2u);
  ASSERT_EQ(all[0].samples.size(), 3u);
  EXPECT_THAT(all[0].problems, IsEmpty());
  EXPECT_EQ(all[0].samples[0].labels, "x=\"\",y=\"q\\\"u,o}te\"");
  EXPECT_EQ(all[0].samples[0].value, 1500.0);
  EXPECT_EQ(all[0].samples[0].unix_ms, 1700000000500);
  EXPECT_EQ(all[0].samples[1].name, "my.metric");
  EXPECT_EQ(all[1].source, "m.prom (snapshot 2)");
}

TEST(Exposition, a_huge_label_set_is_kept_and_named) {
  std::string line = "a{";
  for (int i = 0; i < 200; ++i) line += "l" + std::to_string(i) + "=\"v\",";
  const auto all = read(line + "} 1\n");
  ASSERT_EQ(all[0].samples.size(), 1u);
  ASSERT_EQ(all[0].problems.size(), 1u);
  EXPECT_THAT(all[0].problems[0].what, HasSubstr("200 labels"));
}

TEST(Exposition, json_lines_are_snapshots_of_numbers_by_their_paths) {
  const auto all =
      read("{\"t\": 1, \"cache\": {\"hits\": 2}, \"name\": \"x\"}\nnone\n{\"t\": 3}\n");
  ASSERT_EQ(all.size(), 2u);
  ASSERT_EQ(all[0].samples.size(), 2u);
  EXPECT_EQ(all[0].samples[0].name, "cache.hits");
  ASSERT_EQ(all[1].problems.size(), 1u);
  EXPECT_EQ(all[1].problems[0].line, 2u);
  const auto long_form = read(
      "{\"name\": \"a\", \"labels\": {\"x\": \"1\"}, \"value\": 1}\n{\"name\": \"b\", \"value\": "
      "1}\n"
      "{\"name\": \"b\", \"value\": 2}\n");
  ASSERT_EQ(long_form.size(), 2u);
  EXPECT_EQ(long_form[0].samples.size(), 2u);
  EXPECT_EQ(read("{\n  \"a\": 1\n}\n")[0].samples.size(), 1u);
}

struct not_finite {
  const char* lines;
  std::vector<std::string> found;
  const char* says;
  std::uint64_t values_skipped;
};

// In each of them a promised metric is no number, or one that is none.
const not_finite values[] = {
    {R"({"a": NaN, "n": "N"})", {"range a"}, "NaN alone", 0},
    {"{\"a\": 1}\n{\"a\": Infinity}", {"range a"}, "a is inf: no finite number", 0},
    {"{\"a\": 1}\n{\"a\": -Infinity}", {"range a"}, "a is -inf: no finite number", 0},
    {R"({"a": "NaN"})", {"range a"}, "NaN alone", 0},
    {R"({"a": "+Inf"})", {"range a"}, "a is inf", 0},
    {R"({"a": "Infinity"})", {"range a"}, "a is inf", 0},
    {R"({"name": "a", "value": NaN})", {"range a"}, "NaN alone", 0},
    {R"({"name": "a", "value": "-Inf"})", {"range a"}, "a is -inf", 0},
    {"{\"a\": null}\n{\"a\": 1}\n{\"a\": null}",
     {"input line 1"},
     "null at a, which is no number; the "
     "value was skipped (and 1 more like it)",
     2},
    {R"({"a": null})", {"input line 1", "never-written a"}, "never a number: line 1 has null", 1},
    {R"({"name": "a", "value": null})", {"input line 1", "never-written a"}, "never a number", 0},
    {R"({"a": "12"})", {"input line 1", "never-written a"}, "a number in quotes at a", 1},
    {"{\"a\": 1, \"b\": [2]}", {"input line 1"}, "a list at b", 1},
    {"{\"a\": 1, \"b\": true}", {"input line 1"}, "true or false at b", 1},
    {"{\"a\": 1}\n{\"say\": \"no\"}", {"input line 2"}, "holds no number", 0},
};

TEST(Exposition, binary_garbage_is_one_finding_that_counts_its_lines) {
  std::string garbage("a 1\n", 4);
  for (int i = 0; i < 5000; ++i) garbage += std::string("\x01\x00\xfe line\n???\n", 13);
  const auto report = report_of(contract_with(R"({"name": "a", "kind": "gauge", "unit": "none"})"),
                                {{{"m.prom", garbage}}});
  EXPECT_THAT(found_in(report), ElementsAre("input line 2"));
  EXPECT_THAT(report.findings[0].message, HasSubstr("the file is binary"));
  EXPECT_THAT(report.findings[0].message, HasSubstr("10000 of its 10001 lines"));
  EXPECT_EQ(report.skipped_count, 10000u);
  EXPECT_EQ(report.sample_count, 1u);
}

TEST(Exposition, a_file_of_another_kind_is_told_by_its_first_lines) {
  std::string page = "a 1\n";
  for (int i = 0; i < 500; ++i) page += "<p" + std::to_string(i) + ">line</p>\n";
  const auto report = report_of(contract_with(R"({"name": "a", "kind": "gauge", "unit": "none"})"),
                                {{{"m.prom", page}}});
  EXPECT_LE(report.findings.size(), 21u);
  EXPECT_THAT(report.findings.back().message, HasSubstr("479 more"));
  EXPECT_EQ(report.skipped_count, 500u);
}

TEST(Exposition, a_name_that_a_histogram_publishes_too_is_told) {
  const std::string histogram =
      "# TYPE a histogram\na_bucket{le=\"1\"} 2\na_bucket{le=\"+Inf\"} 3\na_sum 9\na_count 3\n";
  const std::string gauge = "# TYPE a_sum gauge\na_sum{x=\"1\"} 5\n";
  for (const std::string& text : {histogram + gauge, gauge + histogram}) {
    const auto all = read(text);
    ASSERT_EQ(all[0].problems.size(), 1u) << text;
    EXPECT_THAT(all[0].problems[0].what, HasSubstr("a_sum"));
    EXPECT_THAT(all[0].problems[0].what, HasSubstr("which the histogram a publishes"));
  }
  const auto contract = ingest::parse_guard_contract(
      contract_with(R"({"name": "a_sum", "kind": "gauge", "unit": "none"},
                       {"name": "a", "kind": "histogram", "unit": "none"})")
          .text,
      "c");
  ASSERT_TRUE(contract);
  const auto found = guard::contradictions(*contract);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_THAT(found[0].what, HasSubstr("promises a_sum, which the histogram a of line 2, "
                                       "$.metrics[1] publishes"));
}

TEST(Exposition, a_value_of_JSON_lines_that_is_no_finite_number_is_told_by_its_line) {
  for (const not_finite& each : values) {
    SCOPED_TRACE(each.lines);
    const auto report = report_of(
        contract_with(R"({"name": "a", "kind": "gauge", "unit": "none"})"), {{{"m", each.lines}}});
    EXPECT_THAT(found_in(report), testing::UnorderedElementsAreArray(each.found));
    EXPECT_THAT(report.findings, testing::Contains(testing::Field(&model::guard_finding::message,
                                                                  HasSubstr(each.says))));
    EXPECT_EQ(report.skipped_value_count, each.values_skipped);
    EXPECT_EQ(report.skipped.size(), report.skipped_count + report.skipped_value_count);
  }
}

TEST(Exposition, a_log_is_read_by_its_patterns) {
  ingest::exposition_options options;
  for (const char* text :
       {"generation throughput: {tokens_per_s} tokens/s, Running: {running} reqs",
        "hit rate: {hit_percent}%"}) {
    auto pattern = ingest::parse_log_pattern(text);
    ASSERT_TRUE(pattern) << pattern.error().message;
    options.patterns.push_back(*pattern);
  }
  const auto all = ingest::parse_exposition(
      "INFO start\nINFO generation  throughput: 1,234.5 tokens/s, Running: 3 reqs\nhit rate: "
      "12.5%\n"
      "generation throughput: nan tokens/s, Running: x reqs\n"
      "generation throughput: 20 tokens/s, Running: 0 reqs\n",
      "log", options);
  ASSERT_TRUE(all);
  ASSERT_EQ(all->size(), 2u);
  ASSERT_EQ((*all)[0].samples.size(), 3u);
  EXPECT_EQ((*all)[0].samples[0].value, 1234.5);
  EXPECT_EQ((*all)[0].samples[2].name, "hit_percent");
  ASSERT_EQ((*all)[0].problems.size(), 1u);
  EXPECT_EQ((*all)[0].problems[0].line, 4u);
  for (const char* bad : {"no name", "a {b", "a {b}{c}", "a {b} c {b}", "{a} b", "a {1}"})
    EXPECT_FALSE(ingest::parse_log_pattern(bad)) << bad;
}

struct refusal {
  const char* text;
  const char* where;
  const char* says;
};

const refusal refusals[] = {
    {"{\n\"format\": \"assay.guard-contract\",\n\"version\": 1,\n\"metrcis\": []}", "line 4",
     "no key"},
    {"{\"format\": \"assay.guard-contract\", \"version\": 2, \"metrics\": []}", "line 1",
     "is not 1"},
    {"{\"format\": \"x\", \"version\": 1}", "$.format", "is not assay.guard-contract"},
    {"{\"format\": \"assay.guard-contract\", \"version\": 1,\n\"metrics\": [],\n\"metrics\": []}",
     "line 3", "is there twice"},
    {"{\"format\": \"assay.guard-contract\", \"version\": 1, \"metrics\": []}", "line 1",
     "promises nothing"},
    {"{\"format\": \"assay.guard-contract\", \"version\": 1, \"metrics\": [\n"
     "{\"name\": \"a\", \"kind\": \"gauge\", \"unit\": \"none\"},\n"
     "{\"name\": \"b\", \"kind\": \"gage\", \"unit\": \"none\"}]}",
     "line 3, $.metrics[1].kind", "is none of"},
    {"{\"format\": \"assay.guard-contract\", \"version\": 1, \"metrics\": ["
     "{\"name\": \"a\", \"kind\": \"gauge\", \"unit\": \"none\", \"optional\": true}]}",
     "reason", "is missing"},
    {"{\"format\": \"assay.guard-contract\", \"version\": 1, \"variable_prefixes\": [\"A_\"],\n"
     "\"balances\": [{\"name\": \"b\", \"equation\": \"a + = c\"}]}",
     "line 2", "no metric before"},
    {"[1", "", "byte"},
};

TEST(Contract, what_is_none_is_refused_by_line) {
  for (const refusal& each : refusals) {
    SCOPED_TRACE(each.text);
    const auto contract = ingest::parse_guard_contract(each.text, "c.json");
    ASSERT_FALSE(contract);
    EXPECT_THAT(contract.error().message, HasSubstr("c.json: "));
    EXPECT_THAT(contract.error().message, HasSubstr(each.where));
    EXPECT_THAT(contract.error().message, HasSubstr(each.says));
  }
}

TEST(Contract, each_contradiction_is_named_by_line) {
  const auto contract = ingest::parse_guard_contract(
      R"({"format": "assay.guard-contract", "version": 1, "metrics": [
 {"name": "a", "kind": "gauge", "unit": "none"},
 {"name": "a", "kind": "counter", "unit": "count"},
 {"name": "b", "kind": "counter", "unit": "ratio"},
 {"name": "c", "kind": "gauge", "unit": "furlongs"},
 {"name": "d", "kind": "gauge", "unit": "count", "least": 2, "most": 1},
 {"name": "e", "kind": "info", "unit": "none", "exercised": true},
 {"name": "f", "kind": "counter", "unit": "count", "optional": true, "reason": "r", "exercised": true},
 {"name": "g", "kind": "counter", "unit": "count", "least": -1}],
 "balances": [
  {"name": "n", "equation": "a = h"}],
 "ignored": [
  {"name": "d*", "reason": "r"}],
 "allowed_variables": [
  {"name": "X_Y", "reason": "r"}]})",
      "c.json");
  ASSERT_TRUE(contract) << contract.error().message;
  std::vector<std::size_t> where;
  for (const auto& each : guard::contradictions(*contract)) where.push_back(each.line);
  EXPECT_THAT(guard::contradictions(*contract)[0].what,
              HasSubstr("promises a, which line 2, $.metrics[0] promises"));
  EXPECT_THAT(where, ElementsAre(3, 4, 5, 6, 7, 8, 9, 11, 13, 15));
}

}  // namespace
}  // namespace assay::guard_test
