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
#include "harness/ingest/statistic.h"

namespace assay::ingest {
namespace {

namespace fs = std::filesystem;

// Each folder "new" that a benchmark left, whole or not: a benchmark that was stopped has some of
// its files. A folder that cannot be opened may hold more of them.
result<void> find_measured(const fs::path& path, std::vector<fs::path>& found) {
  std::error_code code;
  std::vector<fs::path> folders;
  bool is_measured = false;
  fs::directory_iterator each(path, code);
  for (const fs::directory_iterator end; !code && each != end; each.increment(code)) {
    const fs::path name = each->path().filename();
    is_measured = is_measured || name == "estimates.json" || name == "sample.json" ||
                  name == "benchmark.json";
    std::error_code ignored;
    if (each->is_directory(ignored) && !each->is_symlink(ignored)) folders.push_back(each->path());
  }
  if (code)
    return refused(path.string(), "", "cannot be read: " + code.message(),
                   "make its benchmarks readable, or take it out");
  if (is_measured && path.filename() == "new") found.push_back(path);
  for (const fs::path& folder : folders) ASSAY_TRY(find_measured(folder, found));
  return {};
}

result<std::vector<fs::path>> measured_folders(const std::string& path) {
  std::vector<fs::path> found;
  ASSAY_TRY(find_measured(path, found));
  std::sort(found.begin(), found.end());
  return found;
}

result<double> measured_ns(const fs::path& folder, std::string_view& statistic) {
  const std::string sample_file = (folder / "sample.json").string();
  const std::string estimates_file = (folder / "estimates.json").string();
  // Also where the samples give the time: broken, it shows a benchmark that did not end well.
  ASSAY_TRY_ASSIGN(const file_text estimates, file_text::open(estimates_file));
  ASSAY_TRY_ASSIGN(const double median_ns, criterion_median_ns(estimates.view(), estimates_file));
  std::error_code code;
  statistic = median_of_summary;
  if (!fs::exists(sample_file, code)) return median_ns;
  statistic = best_of_samples;
  ASSAY_TRY_ASSIGN(const file_text text, file_text::open(sample_file));
  return criterion_least_ns(text.view(), sample_file);
}

}  // namespace

result<bool> is_criterion_folder(const std::string& path) {
  ASSAY_TRY_ASSIGN(const auto folders, measured_folders(path));
  return !folders.empty();
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
  ASSAY_TRY_ASSIGN(const auto folders, measured_folders(path));
  for (const fs::path& folder : folders) {
    const std::string name_file = (folder / "benchmark.json").string();
    ASSAY_TRY_ASSIGN(const file_text name_text, file_text::open(name_file));
    ASSAY_TRY_ASSIGN(const std::string name, criterion_name(name_text.view(), name_file));
    std::error_code code;
    if (!fs::exists(folder / "estimates.json", code)) {
      row_book::fail(book.row(name, "iteration_time"), "has no estimates.json: it did not end");
      continue;
    }
    std::string_view statistic;
    ASSAY_TRY_ASSIGN(const double ns, measured_ns(folder, statistic));
    model::sample_row& out = book.row(name, "iteration_time");
    row_book::state_statistic(out, statistic);
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
