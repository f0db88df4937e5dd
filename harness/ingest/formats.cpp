// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/ingest/formats.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "harness/ingest/assay_counts.h"
#include "harness/ingest/benchmark_dot_net.h"
#include "harness/ingest/complaint.h"
#include "harness/ingest/criterion.h"
#include "harness/ingest/go_benchmark.h"
#include "harness/ingest/google_benchmark.h"
#include "harness/ingest/hyperfine.h"
#include "harness/ingest/jmh.h"
#include "harness/ingest/llama_bench.h"
#include "harness/ingest/nvbench.h"
#include "harness/ingest/pytest_benchmark.h"
#include "harness/ingest/row_book.h"

namespace assay::ingest {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t start_bytes = std::size_t{64} << 10;

bool holds(std::string_view text, std::string_view what) {
  return text.find(what) != std::string_view::npos;
}

bool is_assay_counts(std::string_view start) {
  return holds(start, "\"assay_counts\"");
}
bool is_google_benchmark_csv(std::string_view start) {
  return holds(start, "name,iterations,real_time,cpu_time");
}
bool is_hyperfine(std::string_view start) {
  return holds(start, "\"results\"") && holds(start, "\"command\"");
}
bool is_pytest(std::string_view start) {
  return holds(start, "\"machine_info\"") || holds(start, "\"commit_info\"") ||
         holds(start, "\"fullname\"");
}
bool is_nvbench(std::string_view start) {
  return holds(start, "\"nvbench\"");
}
bool is_jmh(std::string_view start) {
  return holds(start, "\"primaryMetric\"") || holds(start, "\"jmhVersion\"");
}
bool is_benchmark_dot_net(std::string_view start) {
  return holds(start, "\"HostEnvironmentInfo\"") || holds(start, "\"Benchmarks\"");
}
bool is_llama_bench(std::string_view start) {
  return holds(start, "\"n_prompt\"") && holds(start, "\"n_gen\"");
}
bool is_go(std::string_view start) {
  return start.starts_with("goos:") || start.starts_with("pkg:") ||
         start.starts_with("Benchmark") || holds(start, "\nBenchmark");
}
bool is_google_benchmark(std::string_view start) {
  return holds(start, "\"benchmarks\"") || holds(start, "\"context\"");
}

// What stands for the time of a format that has but one.
constexpr std::string_view usual_metric = "real_time";

bool has_time_only(std::string_view metric) {
  return metric == usual_metric;
}
bool has_time_or_rate(std::string_view metric) {
  return metric == usual_metric || metric == "avg_ns" || metric == "avg_ts";
}
bool has_counters(std::string_view) {
  return true;
}

result<void> check_metric(std::string_view metric, std::string_view format_name,
                          bool (*may_have)(std::string_view), std::string_view file) {
  if (may_have(metric)) return {};
  return refused(file, "", fmt::format("has no {}: it is {}", printable(metric), format_name),
                 "leave --metric out");
}

constexpr std::array table{
    format{"Assay counts", is_assay_counts, parse_assay_counts, has_time_only},
    format{"Google Benchmark CSV", is_google_benchmark_csv, parse_google_benchmark_csv,
           has_counters},
    format{"hyperfine JSON", is_hyperfine, parse_hyperfine, has_time_only},
    format{"nvbench JSON", is_nvbench, parse_nvbench_file, has_time_only},
    format{"JMH JSON", is_jmh, parse_jmh, has_time_only},
    format{"BenchmarkDotNet JSON", is_benchmark_dot_net, parse_benchmark_dot_net, has_time_only},
    format{"llama-bench JSON", is_llama_bench, parse_llama_bench, has_time_or_rate},
    format{"pytest-benchmark JSON", is_pytest, parse_pytest_benchmark, has_time_only},
    format{"Google Benchmark JSON", is_google_benchmark, parse_google_benchmark, has_counters},
    format{"Go benchmark text", is_go, parse_go_benchmark, has_time_only},
};

// A fact of two values stands there twice: who compares sees that the files are of two worlds.
void add_missing(const std::vector<model::fact>& more, std::vector<model::fact>& into) {
  for (const model::fact& each : more)
    if (std::none_of(into.begin(), into.end(), [&](const model::fact& known) {
          return known.name == each.name && known.value == each.value;
        }))
      into.push_back(each);
}

result<model::sample_set> read_folder(const std::string& path, std::string_view metric) {
  std::vector<std::string> files;
  std::error_code code;
  std::size_t folder_count = 0;
  for (const auto& entry : fs::directory_iterator(path, code)) {
    std::error_code ignored;
    if (entry.is_directory(ignored))
      ++folder_count;
    else if (entry.is_regular_file(ignored) || entry.is_symlink(ignored))
      files.push_back(entry.path().string());
  }
  if (files.empty()) return refused(path, "", "holds no file", "give a folder with results in it");
  std::sort(files.begin(), files.end());
  model::sample_set all;
  for (const std::string& file : files) {
    ASSAY_TRY_ASSIGN(const file_text text, file_text::open(file));
    ASSAY_TRY_ASSIGN(auto set, parse_results(text.view(), file, metric));
    if (all.format.empty())
      all = std::move(set);
    else
      merge(all, std::move(set));
  }
  all.source = path;
  all.notes.push_back(fmt::format("{} files, each taken for one run", files.size()));
  if (folder_count > 0)
    all.notes.push_back(fmt::format("{} folders within were not read", folder_count));
  return all;
}

}  // namespace

std::span<const format> formats() {
  return table;
}

result<model::sample_set> parse_results(std::string_view text, std::string_view file,
                                        std::string_view metric) {
  const std::string_view start = text.substr(0, start_bytes);
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos)
    return refused(file, "", "is empty: nothing was measured",
                   "look at what the benchmark printed");
  for (const format& each : table)
    if (each.is_like(start)) {
      ASSAY_TRY(check_metric(metric, each.name, each.may_have, file));
      return each.parse(text, file, metric);
    }
  std::string names;
  for (const format& each : table)
    names += fmt::format("{}{}", names.empty() ? "" : ", ", each.name);
  return refused(file, "", "is of no format that is known", "give one of " + names);
}

result<model::sample_set> read_results(const std::string& path, std::string_view metric) {
  std::error_code code;
  if (fs::is_directory(path, code)) {
    ASSAY_TRY_ASSIGN(const bool is_criterion, is_criterion_folder(path));
    if (!is_criterion) return read_folder(path, metric);
    ASSAY_TRY(check_metric(metric, "a Criterion folder", has_time_only, path));
    return read_criterion(path);
  }
  ASSAY_TRY_ASSIGN(const file_text text, file_text::open(path));
  return parse_results(text.view(), path, metric);
}

void merge(model::sample_set& into, model::sample_set&& more) {
  std::unordered_map<std::string, std::size_t> known;
  for (std::size_t at = 0; at < into.rows.size(); ++at)
    known[into.rows[at].metric + '\0' + into.rows[at].name] = at;
  for (model::sample_row& row : more.rows) {
    const auto found = known.find(row.metric + '\0' + row.name);
    if (found == known.end()) {
      into.rows.push_back(std::move(row));
      continue;
    }
    model::sample_row& old = into.rows[found->second];
    if (old.failure.empty()) old.failure = row.failure;
    if (old.failure.empty() && old.unit != row.unit)
      old.failure = fmt::format("is given in {} and in {}", old.unit, row.unit);
    if (old.failure.empty() && !row.statistic.empty())
      row_book::state_statistic(old, row.statistic);
    old.process_values.insert(old.process_values.end(), row.process_values.begin(),
                              row.process_values.end());
    if (old.failure.empty() && (old.better != row.better || old.is_exact != row.is_exact))
      old.failure = "means one thing in one file and another in the next";
    old.iteration_count += row.iteration_count;
    add_missing(row.kept, old.kept);
  }
  into.ignored_row_count += more.ignored_row_count;
  add_missing(more.environment, into.environment);
  add_missing(more.facts, into.facts);
  for (std::string& note : more.notes)
    if (std::find(into.notes.begin(), into.notes.end(), note) == into.notes.end())
      into.notes.push_back(std::move(note));
  if (into.format.find(more.format) == std::string::npos) into.format += ", " + more.format;
}

}  // namespace assay::ingest
