// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this, iterations of one process could be read as so many processes, a fork as a row, or a
// rate as a time.
#include <filesystem>
#include <fstream>

#include <unistd.h>

#include <gmock/gmock.h>

#include "harness/compare/stored_comparison.h"
#include "harness/ingest/benchmark_dot_net.h"
#include "harness/ingest/criterion.h"
#include "harness/ingest/formats.h"
#include "harness/ingest/nvbench.h"

namespace assay::ingest {
namespace {

using model::direction;
using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;

model::sample_set parsed(const std::string& text, std::string_view metric = "real_time") {
  const auto set = parse_results(text, "f", metric);
  EXPECT_TRUE(set) << set.error().message;
  return set.value_or(model::sample_set{});
}

std::string complaint(const std::string& text) {
  const auto set = parse_results(text, "f", "real_time");
  return set ? "taken" : set.error().message;
}

TEST(Hyperfine, each_run_is_a_process) {
  const auto set = parsed(
      R"({"results": [{"command": "sort", "mean": 1, "median": 1, "times": [1.5, 0.25], "exit_codes": [0, 0]},
                      {"command": "gone", "median": 2.0, "stddev": null, "exit_codes": [null]}]})");
  EXPECT_EQ(set.format, "hyperfine JSON");
  EXPECT_THAT(set.rows[0].process_values, ElementsAre(1.5e9, 0.25e9));
  EXPECT_EQ(set.rows[0].failure, "");
  EXPECT_THAT(set.rows[1].failure, HasSubstr("did not end well"));
  EXPECT_THAT(complaint(R"({"results": [{"command": "x", "times": [1, "slow"]}]})"),
              HasSubstr("f: $.results[0].times[1]: is no number"));
  EXPECT_THAT(complaint(R"({"results": [{"command": "x"}]})"),
              HasSubstr("$.results[0].median: is missing"));
}

// The wall time must not be taken for what was asked for.
TEST(Metric, that_a_format_cannot_have_is_refused) {
  const std::string text = R"({"results": [{"command": "c", "times": [1.0]}]})";
  EXPECT_TRUE(parse_results(text, "f", "real_time"));
  const auto other = parse_results(text, "f", "cpu_time");
  ASSERT_FALSE(other);
  EXPECT_THAT(other.error().message, HasSubstr("f: has no cpu_time: it is hyperfine JSON"));
  EXPECT_FALSE(parse_results("[" + std::string(R"({"n_prompt": 1, "n_gen": 0, "avg_ns": 5})") + "]",
                             "f", "cpu_time"));
}

TEST(Pytest, rounds_are_one_process) {
  const auto set = parsed(
      R"({"machine_info": {"node": "here"}, "benchmarks": [{"name": "t", "fullname": "a.py::t", "stats": {"min": 0.5, "data": [0.75, 0.5]}}]})");
  EXPECT_EQ(set.format, "pytest-benchmark JSON");
  EXPECT_EQ(set.rows[0].name, "a.py::t");
  EXPECT_THAT(set.rows[0].process_values, ElementsAre(0.5e9));
  EXPECT_EQ(set.environment.at(0).value, "\"here\"");
  EXPECT_THAT(complaint(R"({"machine_info": {}, "benchmarks": [{"name": "t", "stats": {}}]})"),
              HasSubstr("$.benchmarks[0].stats.min: is missing"));
}

TEST(Go, each_unit_is_a_row_and_packages_are_apart) {
  const auto set = parsed(
      "goos: linux\ngoarch: amd64\npkg: example.com/a\ncpu: Xeon\n"
      "BenchmarkX\nBenchmarkX-2   \t  100\t  12.5 ns/op\t  3 B/op\n"
      "BenchmarkX-2 100 11.5 ns/op 3 B/op\nPASS\nok  \texample.com/a\t1.0s\n"
      "pkg: example.com/b\nBenchmarkX-2 100 99 ns/op\n--- FAIL: BenchmarkY\nFAIL\n");
  ASSERT_EQ(set.rows.size(), 4U);
  EXPECT_EQ(set.rows[0].name, "example.com/a.BenchmarkX-2");
  EXPECT_EQ(set.rows[0].metric, "ns");
  EXPECT_THAT(set.rows[0].process_values, ElementsAre(11.5));
  EXPECT_EQ(set.rows[1].unit, "bytes");
  EXPECT_EQ(set.rows[2].name, "example.com/b.BenchmarkX-2");
  EXPECT_THAT(set.rows[3].failure, HasSubstr("FAIL"));
  EXPECT_EQ(set.environment.at(0).value, "Xeon");
  EXPECT_THAT(complaint("goos: linux\nBenchmarkX 100 12 ns/op 5\n"), HasSubstr("f: line 2: ends"));
  EXPECT_THAT(complaint("goos: linux\nPASS\n"), HasSubstr("nothing was measured"));
}

// A package that does not build, or crashes, prints no benchmark: its rows would just be gone.
TEST(Go, package_that_failed_is_a_row_that_failed) {
  const auto set = parsed(
      "pkg: example.com/a\nBenchmarkX-2 100 12.5 ns/op\nPASS\nok  \texample.com/a\t1.0s\n"
      "FAIL\texample.com/b [build failed]\nFAIL\n");
  ASSERT_EQ(set.rows.size(), 2U);
  EXPECT_EQ(set.rows[1].name, "example.com/b");
  EXPECT_THAT(set.rows[1].failure, HasSubstr("FAIL"));
}

TEST(Jmh, forks_are_processes_and_the_unit_gives_the_direction) {
  const auto set = parsed(
      R"([{"benchmark": "x.y", "mode": "thrpt", "params": {"n": "8"}, "primaryMetric":
          {"score": 1, "scoreUnit": "ops/ms", "rawData": [[1.0, 2.0], [4.0, 3.0]]}}])");
  EXPECT_EQ(set.format, "JMH JSON");
  EXPECT_EQ(set.rows[0].name, "x.y n=8");
  EXPECT_EQ(set.rows[0].better, direction::higher_is_better);
  EXPECT_THAT(set.rows[0].process_values, ElementsAre(2000, 4000));
  EXPECT_THAT(
      complaint(R"([{"benchmark": "x", "mode": "avgt", "primaryMetric": {"scoreUnit": "us/op"}}])"),
      HasSubstr("f: $[0].primaryMetric.score: is missing"));
}

// A Java benchmark of one fork whose rows differ in what JMH writes beside its parameters.
std::string jmh_row(int threads, const std::string& jdk, double score) {
  return R"({"benchmark": "x.y", "mode": "avgt", "threads": )" + std::to_string(threads) +
         R"(, "jdkVersion": ")" + jdk + R"(", "vmName": "HotSpot", "primaryMetric": {"score": 1,
             "scoreUnit": "ns/op", "rawData": [[)" +
         std::to_string(score) + "]]}}";
}

model::comparison_row first_judged(const model::sample_set& base, const model::sample_set& head) {
  const auto report = compare::judge_stored(base, head, {});
  return report.rows.empty() ? model::comparison_row{} : report.rows.front();
}

// Pooled, one setting's time would stand for the other's.
TEST(Jmh, two_numbers_of_threads_are_two_rows) {
  const auto both = parsed("[" + jmh_row(1, "21", 5) + "," + jmh_row(4, "21", 9) + "]");
  ASSERT_EQ(both.rows.size(), 2U);
  EXPECT_EQ(both.rows[0].name, "x.y threads=1");
  EXPECT_EQ(both.rows[1].name, "x.y threads=4");
  EXPECT_THAT(both.rows[1].process_values, ElementsAre(9));
  const auto one = parsed("[" + jmh_row(1, "21", 5) + "]");
  EXPECT_EQ(one.rows.at(0).name, "x.y");
}

TEST(Jmh, files_of_other_threads_or_another_jdk_are_not_compared) {
  const auto set = [](int threads, const std::string& jdk) {
    return parsed("[" + jmh_row(threads, jdk, 5) + "]");
  };
  EXPECT_EQ(first_judged(set(1, "21"), set(1, "21")).state, model::row_state::inconclusive);
  const auto threads = first_judged(set(1, "21"), set(4, "21"));
  EXPECT_EQ(threads.state, model::row_state::not_comparable);
  EXPECT_EQ(threads.reason, "threads: 1 against 4");
  const auto jdk = first_judged(set(1, "21"), set(1, "17"));
  EXPECT_EQ(jdk.state, model::row_state::not_comparable);
  EXPECT_EQ(jdk.reason, "jdkVersion: 21 against 17");
  // The files of a folder are merged: here one process of each setting.
  model::sample_set folder = set(1, "21");
  merge(folder, set(4, "21"));
  const auto mixed = first_judged(folder, folder);
  EXPECT_EQ(mixed.reason, "mixed environments: the files of base have threads 1 and 4");
}

TEST(BenchmarkDotNet, launches_are_processes) {
  const auto set = parsed(
      R"({"HostEnvironmentInfo": {"ProcessorName": "Xeon"}, "Benchmarks": [
          {"FullName": "A.B", "Statistics": {"OriginalValues": [9]}, "Measurements": [
            {"IterationMode": "Workload", "IterationStage": "Warmup", "LaunchIndex": 1, "Operations": 2, "Nanoseconds": 2},
            {"IterationMode": "Workload", "IterationStage": "Result", "LaunchIndex": 1, "Operations": 2, "Nanoseconds": 30},
            {"IterationMode": "Workload", "IterationStage": "Result", "LaunchIndex": 1, "Operations": 2, "Nanoseconds": 20},
            {"IterationMode": "Workload", "IterationStage": "Result", "LaunchIndex": 2, "Operations": 2, "Nanoseconds": 50}]},
          {"FullName": "A.C", "Statistics": null},
          {"FullName": "A.D", "Statistics": {"OriginalValues": [7, 5]}}]})");
  ASSERT_EQ(set.rows.size(), 3U);
  EXPECT_THAT(set.rows[0].process_values, ElementsAre(10, 25));
  EXPECT_THAT(set.rows[1].failure, HasSubstr("did not run"));
  EXPECT_THAT(set.rows[2].process_values, ElementsAre(5));
}

const std::string one_bench =
    R"({"build_commit": "abc", "cpu_info": "Xeon", "model_type": "qwen3 0.6B", "n_prompt": 512, "n_gen": 0,
        "flash_attn": 1, "test_time": "now", "avg_ns": 5e8, "samples_ns": [512000000, 256000000]})";

TEST(LlamaBench, time_and_rate_come_from_the_samples) {
  const auto set = parsed("[" + one_bench + "]");
  EXPECT_EQ(set.rows[0].name, "model_type=qwen3 0.6B n_prompt=512 n_gen=0 flash_attn=1");
  EXPECT_THAT(set.rows[0].process_values, ElementsAre(256e6));
  const auto rate = parsed("[" + one_bench + "]", "avg_ts");
  EXPECT_EQ(rate.rows[0].better, direction::higher_is_better);
  EXPECT_THAT(rate.rows[0].process_values, ElementsAre(DoubleNear(2000, 1e-9)));
  std::string line = one_bench;
  line.erase(std::remove(line.begin(), line.end(), '\n'), line.end());
  EXPECT_EQ(parsed(line + "\n" + line + "\n").rows.size(), 1U);
  std::string other = one_bench;
  other.insert(1, R"("gpu_info": "one", )");
  EXPECT_EQ(parsed("[" + other + "," + other + "]").environment.size(), 2U);
  EXPECT_THAT(complaint(R"([{"n_prompt": 1, "n_gen": 0}])"), HasSubstr("$[0].avg_ns: is missing"));
}

const std::string nvbench_text = R"({"meta": {"version": {"nvbench": {}}},
  "devices": [{"id": 0, "name": "H200"}],
  "benchmarks": [{"name": "copy", "states": [
    {"name": "s", "device": 0, "axis_values": [{"name": "N", "type": "int64", "value": "1024"}],
     "is_skipped": false, "summaries": [
       {"tag": "nv/cold/time/gpu/mean", "data": [{"name": "value", "type": "float64", "value": "2e-6"}]},
       {"tag": "nv/json/bin:nv/cold/sample_times", "data": [
          {"name": "filename", "type": "string", "value": "x-bin/0.bin"},
          {"name": "size", "type": "int64", "value": "2"}]}]},
    {"name": "t", "device": 0, "is_skipped": true, "skip_reason": "no memory", "summaries": null}]}]})";

TEST(Nvbench, samples_come_from_their_file) {
  const std::string two_floats("\x00\x00\x00\x40\x00\x00\x80\x3f", 8);  // 2.0, 1.0
  const auto with = [](std::optional<std::string> bytes) {
    return *parse_nvbench(nvbench_text, "f", [bytes](const std::string&) { return bytes; });
  };
  EXPECT_EQ(with(two_floats).rows[0].name, "copy N=1024 device=0");
  EXPECT_THAT(with(two_floats).rows[0].process_values, ElementsAre(1e9));
  EXPECT_THAT(with(std::nullopt).rows[0].process_values, ElementsAre(DoubleNear(2000, 1e-9)));
  EXPECT_THAT(with(two_floats + "x").rows[0].failure, HasSubstr("9 bytes"));
  EXPECT_EQ(with(two_floats).rows[1].failure, "skipped: no memory");
  EXPECT_EQ(with(two_floats).environment.at(0).value, "H200");
  EXPECT_EQ(parsed(nvbench_text).format, "nvbench JSON");
  std::string two = nvbench_text;
  two.replace(two.find("\"devices\": ["), 12, "\"devices\": [{\"id\": 1, \"name\": \"A100\"}, ");
  const auto named = parsed(two).environment;
  ASSERT_EQ(named.size(), 2U);
  EXPECT_NE(named[0].name, named[1].name) << "two devices of one machine are no mixture";
}

// The least of two samples against a mean: without a change it reads as one.
TEST(Statistic, of_samples_and_of_a_summary_are_not_compared) {
  const auto nvbench = [](bool has_file) {
    return *parse_nvbench(nvbench_text, "f", [=](const std::string&) {
      const std::string two_floats("\x00\x00\x00\x40\x00\x00\x80\x3f", 8);
      return has_file ? std::optional(two_floats) : std::nullopt;
    });
  };
  EXPECT_EQ(first_judged(nvbench(true), nvbench(true)).state, model::row_state::inconclusive);
  EXPECT_EQ(first_judged(nvbench(false), nvbench(false)).state, model::row_state::inconclusive);
  const auto mixed = first_judged(nvbench(true), nvbench(false));
  EXPECT_EQ(mixed.state, model::row_state::not_comparable);
  EXPECT_EQ(mixed.reason, "statistic: best of the samples against mean of a summary");
  std::string bare = one_bench;
  bare.erase(bare.find(", \"samples_ns\""));
  const auto llama = first_judged(parsed("[" + one_bench + "]"), parsed("[" + bare + "}]"));
  EXPECT_EQ(llama.reason, mixed.reason);
  const std::string start = R"({"results": [{"command": "c", "median": 2)";
  const auto hyperfine =
      first_judged(parsed(start + R"(, "times": [1, 3]}]})"), parsed(start + "}]}"));
  EXPECT_EQ(hyperfine.reason, "statistic: each run against median of a summary");
}

// One file has its samples beside it and the next has not: pooled, neither is what the row says.
TEST(Statistic, of_two_files_of_one_side_must_be_one) {
  std::string bare = one_bench;
  bare.erase(bare.find(", \"samples_ns\""));
  model::sample_set folder = parsed("[" + one_bench + "]");
  merge(folder, parsed("[" + bare + "}]"));
  EXPECT_EQ(folder.rows.at(0).failure,
            "statistic: best of the samples and mean of a summary in one row");
}

TEST(Go, two_runs_of_two_machines_in_one_text_name_both) {
  const std::string run = "goos: linux\ncpu: A\nBenchmarkX 10 5 ns/op\n";
  std::string other = run;
  other.replace(other.find("cpu: A"), 6, "cpu: B");
  EXPECT_EQ(parsed(run + run).environment.size(), 1U);
  EXPECT_EQ(parsed(run + other).environment.size(), 2U);
}

class Folder : public testing::Test {
 protected:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "assay-ingest-XXXXXX").string();
    if (::mkdtemp(name.data()) != nullptr) path = name;
  }
  ~Folder() override {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  void write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((path / name).parent_path());
    std::ofstream(path / name) << text;
  }
  std::filesystem::path path;
};

TEST_F(Folder, of_criterion_is_read_by_the_names_within) {
  write("g/f/new/benchmark.json", R"({"full_id": "group/f?"})");
  write("g/f/new/estimates.json", R"({"median": {"point_estimate": 99.0}})");
  write("g/f/new/sample.json", R"({"iters": [1, 2], "times": [20.0, 30.0]})");
  write("g/h/new/benchmark.json", R"({"full_id": "group/h"})");
  write("g/h/new/estimates.json", R"({"Median": {"point_estimate": 7.0}})");
  write("g/f/change/estimates.json", R"({"median": {"point_estimate": 0.1}})");
  write("g/f/base/estimates.json", R"({"median": {"point_estimate": 5.0}})");
  const auto set = read_results(path.string(), "real_time");
  ASSERT_TRUE(set) << set.error().message;
  ASSERT_EQ(set->rows.size(), 2U);
  EXPECT_EQ(set->rows[0].name, "group/f?");
  EXPECT_THAT(set->rows[0].process_values, ElementsAre(15));
  EXPECT_THAT(set->rows[1].process_values, ElementsAre(7));
  write("g/f/new/sample.json", R"({"iters": [1], "times": [20.0, 30.0]})");
  const auto broken = read_results(path.string(), "real_time");
  ASSERT_FALSE(broken);
  EXPECT_THAT(broken.error().message, HasSubstr("g/f/new/sample.json: $.times: has not one time"));
}

TEST_F(Folder, of_criterion_without_samples_is_another_statistic) {
  write("f/new/benchmark.json", R"({"full_id": "f"})");
  write("f/new/estimates.json", R"({"median": {"point_estimate": 99.0}})");
  const auto summary = read_results(path.string(), "real_time");
  write("f/new/sample.json", R"({"iters": [1, 2], "times": [20.0, 30.0]})");
  const auto samples = read_results(path.string(), "real_time");
  ASSERT_TRUE(summary && samples);
  const auto judged = first_judged(*summary, *samples);
  EXPECT_EQ(judged.state, model::row_state::not_comparable);
  EXPECT_EQ(judged.reason, "statistic: median of a summary against best of the samples");
}

// Left out it would read as a benchmark that the change has removed, and on both sides as nothing.
TEST_F(Folder, of_criterion_names_a_benchmark_that_it_cannot_read) {
  write("a/new/benchmark.json", R"({"full_id": "a"})");
  write("a/new/estimates.json", R"({"median": {"point_estimate": 9}})");
  write("b/new/benchmark.json", R"({"full_id": "b"})");
  write("b/new/sample.json", R"({"iters": [1], "times": [20.0]})");
  const auto stopped = read_results(path.string(), "real_time");
  ASSERT_TRUE(stopped) << stopped.error().message;
  ASSERT_EQ(stopped->rows.size(), 2U);
  EXPECT_THAT(stopped->rows[1].failure, HasSubstr("has no estimates.json"));
  write("b/new/estimates.json", R"({"median": )");
  const auto broken = read_results(path.string(), "real_time");
  ASSERT_FALSE(broken);
  EXPECT_THAT(broken.error().message, HasSubstr("b/new/estimates.json: ends in the middle"));
  if (::geteuid() == 0) return;  // who may read everything is refused nothing
  std::filesystem::permissions(path / "b", std::filesystem::perms::none);
  const auto closed = read_results(path.string(), "real_time");
  std::filesystem::permissions(path / "b", std::filesystem::perms::owner_all);
  ASSERT_FALSE(closed);
  EXPECT_THAT(closed.error().message, HasSubstr("/b: cannot be read: "));
}

TEST_F(Folder, of_files_is_so_many_processes) {
  for (const char* name : {"1.json", "2.json"})
    write(name, R"({"benchmarks": [{"name": "a", "real_time": )" + std::string(1, name[0]) +
                    R"(, "cpu_time": 1, "time_unit": "ns"}]})");
  write("3.json", R"({"benchmarks": [{"name": "b", "error_occurred": true}]})");
  const auto set = read_results(path.string(), "real_time");
  ASSERT_TRUE(set) << set.error().message;
  EXPECT_THAT(set->rows[0].process_values, ElementsAre(1, 2));
  EXPECT_EQ(set->rows[1].failure, "errored");
  write("more/4.json", "{}");
  const auto with_more = read_results(path.string(), "real_time");
  ASSERT_TRUE(with_more) << with_more.error().message;
  EXPECT_THAT(with_more->notes, testing::Contains("1 folders within were not read"));
  std::filesystem::create_symlink("nowhere", path / "5.json");
  EXPECT_FALSE(read_results(path.string(), "real_time"));
}

TEST_F(Folder, of_nothing_is_refused) {
  EXPECT_FALSE(read_results(path.string(), "real_time"));
  EXPECT_FALSE(read_results((path / "missing").string(), "real_time"));
}

TEST_F(Folder, sample_file_outside_of_it_is_not_opened) {
  write("secret.bin", std::string("\x00\x00\x80\x3f", 4));
  std::string text = nvbench_text;
  text.replace(text.find("x-bin/0.bin"), 11, "../secret.bin");
  write("in/f.json", text);
  const auto set = read_results((path / "in/f.json").string(), "real_time");
  ASSERT_TRUE(set) << set.error().message;
  EXPECT_THAT(set->rows[0].process_values, ElementsAre(DoubleNear(2000, 1e-9)));
}

}  // namespace
}  // namespace assay::ingest
