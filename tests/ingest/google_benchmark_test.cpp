// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this, an errored benchmark could read as one that takes no time, an aggregate as a time,
// or a counter could take the place of the time.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "harness/compare/stored_comparison.h"
#include "harness/ingest/google_benchmark.h"

namespace assay::ingest {
namespace {

using model::direction;
using testing::ElementsAre;
using testing::HasSubstr;

std::string with_rows(const std::string& rows) {
  return R"({"context": {"host_name": "here", "num_cpus": 2, "caches": [{"level": 1}],
             "load_avg": [1.5], "my key": "mine"}, "benchmarks": [)" +
         rows + "]}";
}

model::sample_set google_parsed(const std::string& text, std::string_view metric = "real_time") {
  const auto set = parse_google_benchmark(text, "b.json", metric);
  EXPECT_TRUE(set) << set.error().message;
  return set.value_or(model::sample_set{});
}

std::string google_complaint(const std::string& text) {
  const auto set = parse_google_benchmark(text, "b.json");
  return set ? "taken" : set.error().message;
}

TEST(GoogleBenchmark, repetitions_of_one_process_are_one_number) {
  const auto set = google_parsed(with_rows(
      R"({"name": "a", "run_name": "a", "run_type": "iteration", "real_time": 12.5, "cpu_time": 1, "time_unit": "us"},
         {"name": "a", "run_name": "a", "run_type": "iteration", "real_time": 11.5, "cpu_time": 2, "time_unit": "us"},
         {"name": "a_mean", "run_name": "a", "run_type": "aggregate", "aggregate_name": "mean", "real_time": 1, "cpu_time": 1, "time_unit": "us"})"));
  ASSERT_EQ(set.rows.size(), 1U);
  EXPECT_EQ(set.rows[0].name, "a");
  EXPECT_EQ(set.rows[0].unit, "ns");
  EXPECT_EQ(set.rows[0].better, direction::lower_is_better);
  EXPECT_THAT(set.rows[0].process_values, ElementsAre(11'500));
  EXPECT_EQ(set.rows[0].iteration_count, 2U);
  EXPECT_EQ(set.ignored_row_count, 1U);
}

TEST(GoogleBenchmark, metric_may_be_cpu_time_or_a_counter) {
  const std::string text = with_rows(
      R"({"name": "a", "real_time": 12.5, "cpu_time": 3, "time_unit": "ns", "items_per_second": 5e6, "hits": 7})");
  EXPECT_THAT(google_parsed(text, "cpu_time").rows[0].process_values, ElementsAre(3));
  const auto items = google_parsed(text, "items_per_second");
  EXPECT_EQ(items.rows[0].unit, "items_per_s");
  EXPECT_EQ(items.rows[0].better, direction::higher_is_better);
  EXPECT_EQ(google_parsed(text, "hits").rows[0].better, direction::unknown);
  EXPECT_EQ(google_parsed(text, "misses").rows[0].failure, "has no misses");
}

TEST(GoogleBenchmark, counter_of_the_name_of_a_key_does_not_replace_it) {
  const auto set = google_parsed(with_rows(
      R"({"name": "a", "real_time": 12.5, "cpu_time": 3, "time_unit": "ns", "real_time": 99})"));
  EXPECT_THAT(set.rows[0].process_values, ElementsAre(12.5));
}

TEST(GoogleBenchmark, two_benchmarks_of_one_name_are_not_the_faster_one) {
  const auto of = [](int family, int instance, int ns) {
    return fmt::format(
        R"({{"name": "a", "family_index": {}, "per_family_instance_index": {}, "run_type": "iteration", "real_time": {}, "cpu_time": 1, "time_unit": "ns"}})",
        family, instance, ns);
  };
  const auto one = google_parsed(with_rows(of(3, 1, 10) + "," + of(3, 1, 900)));
  EXPECT_EQ(one.rows[0].failure, "");
  for (const std::string& other : {of(4, 1, 900), of(3, 2, 900)}) {
    const auto two = google_parsed(with_rows(of(3, 1, 10) + "," + other));
    ASSERT_EQ(two.rows.size(), 1U);
    EXPECT_THAT(two.rows[0].failure, HasSubstr("name of several benchmarks"));
  }
}

TEST(GoogleBenchmark, counter_that_is_called_as_a_fit_makes_no_fit) {
  const std::string row =
      R"("name": "a", "real_time": 5, "cpu_time": 1, "time_unit": "ns", "rms": 0.25)";
  const std::string text = with_rows(R"({"run_type": "iteration", )" + row + "}");
  const auto set = google_parsed(text);
  ASSERT_EQ(set.rows.size(), 1U);
  EXPECT_THAT(set.rows[0].process_values, ElementsAre(5));
  EXPECT_THAT(google_parsed(text, "rms").rows[0].process_values, ElementsAre(0.25));
  EXPECT_THAT(google_complaint(with_rows("{" + row + "}")), HasSubstr("nothing but fits"));
}

TEST(GoogleBenchmark, unknown_keys_are_kept_as_they_are) {
  const auto set = google_parsed(with_rows(
      R"({"name": "a", "real_time": 1, "cpu_time": 1, "time_unit": "ns", "hits": 18446744073709551615, "label": "x\"y", "new_key": true})"));
  std::map<std::string, std::string> kept;
  for (const auto& each : set.rows[0].kept) kept[each.name] = each.value;
  EXPECT_EQ(kept["hits"], "18446744073709551615");
  EXPECT_EQ(kept["label"], R"("x\"y")");
  EXPECT_EQ(kept["new_key"], "true");
  ASSERT_EQ(set.environment.size(), 2U);
  EXPECT_EQ(set.environment[1].value, "2");
  ASSERT_EQ(set.facts.size(), 1U);
  EXPECT_EQ(set.facts[0].name, "my key");
}

TEST(GoogleBenchmark, aggregates_stand_in_where_there_is_nothing_else) {
  const auto aggregate = [](const char* of, const char* kind, double time) {
    return R"({"name": ")" + std::string(of) + "_" + kind + R"(", "run_name": ")" + of +
           R"(", "run_type": "aggregate", "aggregate_name": ")" + kind + R"(", "real_time": )" +
           std::to_string(time) + R"(, "cpu_time": 1, "time_unit": "ns"})";
  };
  const auto set =
      google_parsed(with_rows(aggregate("a", "mean", 3) + "," + aggregate("a", "median", 2) + "," +
                              aggregate("b", "mean", 7) + "," + aggregate("b", "stddev", 1)));
  ASSERT_EQ(set.rows.size(), 2U);
  EXPECT_THAT(set.rows[0].process_values, ElementsAre(2));
  EXPECT_THAT(set.rows[1].process_values, ElementsAre(7));
  EXPECT_EQ(set.ignored_row_count, 2U);
  // Found by the fuzzer: a file of fits alone was taken for one without rows.
  EXPECT_THAT(google_complaint(with_rows(aggregate("a", "stddev", 1))),
              HasSubstr("nothing but fits and spreads"));
}

TEST(GoogleBenchmark, one_errored_repetition_fails_the_row) {
  const auto set = google_parsed(with_rows(
      R"({"name": "a", "run_type": "iteration", "real_time": 12.5, "cpu_time": 1, "time_unit": "ns"},
         {"name": "a", "run_type": "iteration", "error_occurred": true, "error_message": "no memory", "real_time": 0, "cpu_time": 0, "time_unit": "ns"})"));
  EXPECT_EQ(set.rows[0].failure, "errored: no memory");
}

TEST(GoogleBenchmark, refusals_name_file_place_and_reason) {
  EXPECT_THAT(google_complaint("[1]"), HasSubstr("b.json: $: is a list"));
  EXPECT_THAT(google_complaint("{}"), HasSubstr("b.json: $.benchmarks: is missing"));
  EXPECT_THAT(google_complaint("{\"benchmarks\": {}}"), HasSubstr("$.benchmarks: is an object"));
  EXPECT_THAT(google_complaint(with_rows("1")), HasSubstr("is no row"));
  EXPECT_THAT(google_complaint(with_rows("[]")), HasSubstr("$.benchmarks[0]: is a list"));
  EXPECT_THAT(google_complaint(with_rows(R"({"name": "a", "real_time": 1}, {"real_time": 1})")),
              HasSubstr("$.benchmarks[1].name: is missing"));
  EXPECT_THAT(google_complaint(with_rows(R"({"name": "a", "real_time": "fast"})")),
              HasSubstr("$.benchmarks[0].real_time: is text"));
  EXPECT_THAT(google_complaint(with_rows(R"({"name": 5, "real_time": 1})")),
              HasSubstr("$.benchmarks[0].name: is a number"));
  EXPECT_THAT(google_complaint(with_rows(R"({"name": "a", "real_time": 1,})")),
              HasSubstr("is no JSON"));
  EXPECT_THAT(google_complaint(std::string(5000, '[')), HasSubstr("$: is a list"));
  EXPECT_THAT(google_complaint("{\"x\":" + std::string(5000, '[')), HasSubstr("nested"));
}

TEST(GoogleBenchmarkCsv, reads_what_the_library_prints) {
  const std::string text =
      "Running ./bench\nRun on (2 X 2600 MHz CPU s)\n"
      "name,iterations,real_time,cpu_time,time_unit,bytes_per_second,items_per_second,label,"
      "error_occurred,error_message,hits\n"
      "\"BM_a/\"\"q\"\",8\",100,12.5,12.4,us,,,,,,7\n"
      "\"BM_b\",0,0,0,ns,,,,true,\"out of memory\",\n"
      "\"BM_a_BigO\",,1.5,1.5,N,,,,,,\n"
      "\"BM_a_RMS\",,3,3,%,,,,,,\n";
  const auto set = parse_google_benchmark_csv(text, "b.csv");
  ASSERT_TRUE(set) << set.error().message;
  ASSERT_EQ(set->rows.size(), 2U);
  EXPECT_EQ(set->rows[0].name, "BM_a/\"q\",8");
  EXPECT_THAT(set->rows[0].process_values, ElementsAre(12'500));
  EXPECT_EQ(set->rows[1].failure, "errored: out of memory");
  EXPECT_EQ(set->ignored_row_count, 2U);
}

// Which registered benchmark a line is of is not in the format: two of one name look like one that
// was repeated.
TEST(GoogleBenchmarkCsv, lines_of_one_name_are_noted) {
  const std::string header =
      "name,iterations,real_time,cpu_time,time_unit,bytes_per_second,items_per_second,label,"
      "error_occurred,error_message\n";
  const auto notes_of = [&](const std::string& lines) {
    const auto set = parse_google_benchmark_csv(header + lines, "b.csv");
    EXPECT_TRUE(set);
    return set ? set->notes : std::vector<std::string>();
  };
  const std::string x = "\"x\",10,5,5,ns,,,,,\n";
  const std::string y = "\"y\",10,5,5,ns,,,,,\n";
  EXPECT_THAT(notes_of(x + y), testing::IsEmpty());
  EXPECT_THAT(notes_of(x + x + y + x),
              testing::Contains("3 lines have a name that others have too and are taken for "
                                "repetitions: a CSV does not tell two benchmarks of one name "
                                "apart, a JSON does"));
}

// Half of a benchmark's repetitions in one file, and its aggregates alone in the other.
TEST(GoogleBenchmark, aggregates_alone_are_another_statistic) {
  const std::string one = R"({"benchmarks": [{"name": "x", "run_name": "x", "real_time": 5,
      "cpu_time": 5, "time_unit": "ns", )";
  const auto repeated = parse_google_benchmark(one + R"("run_type": "iteration"}]})", "f");
  const auto alone = parse_google_benchmark(
      one + R"("run_type": "aggregate", "aggregate_name": "median"}]})", "f");
  ASSERT_TRUE(repeated && alone);
  const auto report = compare::judge_stored(*repeated, *alone, {});
  ASSERT_EQ(report.rows.size(), 1U);
  EXPECT_EQ(report.rows[0].state, model::row_state::not_comparable);
  EXPECT_EQ(report.rows[0].reason, "statistic: repetitions against median of a summary");
}

TEST(GoogleBenchmarkCsv, refusals_name_the_line) {
  const std::string header = "name,iterations,real_time,cpu_time,time_unit\n";
  const auto complaint_of = [&](const std::string& text) {
    const auto set = parse_google_benchmark_csv(text, "b.csv");
    return set ? "taken" : set.error().message;
  };
  EXPECT_THAT(complaint_of("x,y\n"), HasSubstr("b.csv: has no header"));
  EXPECT_THAT(complaint_of(header), HasSubstr("has no rows"));
  EXPECT_THAT(complaint_of(header + "a,1,fast,1,ns\n"),
              HasSubstr("line 2, real_time: is no number"));
  EXPECT_THAT(complaint_of(header + "a,1,1,1,ns\nb,1\n"), HasSubstr("line 3: has 2 cells"));
}

}  // namespace
}  // namespace assay::ingest
