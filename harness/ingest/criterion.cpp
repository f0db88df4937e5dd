// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/ingest/criterion.h"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "harness/ingest/complaint.h"
#include "harness/ingest/file_text.h"
#include "harness/ingest/json_cursor.h"
#include "harness/ingest/json_text.h"
#include "harness/ingest/row_book.h"

namespace assay::ingest {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> measured_folders(const std::string& path) {
  std::vector<fs::path> found;
  std::error_code code;
  for (fs::recursive_directory_iterator each(path, code), end; each != end && !code;
       each.increment(code))
    if (each->path().filename() == "estimates.json" &&
        each->path().parent_path().filename() == "new")
      found.push_back(each->path().parent_path());
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace

bool is_criterion_folder(const std::string& path) {
  return !measured_folders(path).empty();
}

result<std::string> criterion_name(std::string_view benchmark_json, std::string_view file) {
  ASSAY_TRY_ASSIGN(const auto tree, parse_json(benchmark_json, file));
  ASSAY_TRY_ASSIGN(const json_cursor name_at, json_cursor(tree, file).at("full_id"));
  ASSAY_TRY_ASSIGN(const std::string name, name_at.text());
  if (name.empty()) return name_at.refuse("is empty");
  return name;
}

result<double> criterion_median_ns(std::string_view estimates_json, std::string_view file) {
  ASSAY_TRY_ASSIGN(const auto tree, parse_json(estimates_json, file));
  const json_cursor root(tree, file);
  // Before 0.3.3 the keys began with a capital.
  ASSAY_TRY_ASSIGN(const json_cursor median, root.at(root.has("Median") ? "Median" : "median"));
  ASSAY_TRY_ASSIGN(const json_cursor point, median.at("point_estimate"));
  return point.number();
}

result<double> criterion_least_ns(std::string_view sample_json, std::string_view file) {
  ASSAY_TRY_ASSIGN(const auto tree, parse_json(sample_json, file));
  const json_cursor root(tree, file);
  ASSAY_TRY_ASSIGN(const json_cursor iterations_at, root.at("iters"));
  ASSAY_TRY_ASSIGN(const json_cursor times_at, root.at("times"));
  ASSAY_TRY_ASSIGN(const auto iterations, iterations_at.numbers());
  ASSAY_TRY_ASSIGN(const auto times, times_at.numbers());
  if (times.empty() || times.size() != iterations.size())
    return times_at.refuse("has not one time for each of iters");
  double least_ns = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (!(iterations[i] >= 1)) return iterations_at.refuse("holds what is no count");
    least_ns = std::min(least_ns, times[i] / iterations[i]);
  }
  return least_ns;
}

result<model::sample_set> read_criterion(const std::string& path) {
  row_book book;
  for (const fs::path& folder : measured_folders(path)) {
    const std::string name_file = (folder / "benchmark.json").string();
    const std::string sample_file = (folder / "sample.json").string();
    const std::string estimates_file = (folder / "estimates.json").string();
    ASSAY_TRY_ASSIGN(const file_text name_text, file_text::open(name_file));
    ASSAY_TRY_ASSIGN(const std::string name, criterion_name(name_text.view(), name_file));
    double ns = 0.0;
    std::error_code code;
    if (fs::exists(sample_file, code)) {
      ASSAY_TRY_ASSIGN(const file_text text, file_text::open(sample_file));
      ASSAY_TRY_ASSIGN(ns, criterion_least_ns(text.view(), sample_file));
    } else {
      ASSAY_TRY_ASSIGN(const file_text text, file_text::open(estimates_file));
      ASSAY_TRY_ASSIGN(ns, criterion_median_ns(text.view(), estimates_file));
    }
    model::sample_row& out = book.row(name, "iteration_time");
    book.scale(out, "ns");
    book.measure(out, 0, ns);
  }
  if (book.size() == 0)
    return refused(path, "", "holds no new/estimates.json: nothing was measured",
                   "give target/criterion");
  model::sample_set set;
  set.source = path;
  set.format = "Criterion folder";
  set.rows = std::move(book).finish();
  return set;
}

}  // namespace assay::ingest
