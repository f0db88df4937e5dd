// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/ingest/llama_bench.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "harness/ingest/complaint.h"
#include "harness/ingest/json_cursor.h"
#include "harness/ingest/json_text.h"
#include "harness/ingest/row_book.h"
#include "harness/ingest/statistic.h"

namespace assay::ingest {
namespace {

using nlohmann::json;

constexpr std::array<std::string_view, 10> no_identity{
    "build_commit", "build_number", "cpu_info", "gpu_info",  "test_time",
    "avg_ns",       "stddev_ns",    "avg_ts",   "stddev_ts", "samples_ns"};
constexpr std::array<std::string_view, 5> said_first{"model_type", "n_prompt", "n_gen", "n_depth",
                                                     "model_filename"};

template <class Names>
bool is_one_of(std::string_view key, const Names& names) {
  for (const std::string_view each : names)
    if (each == key) return true;
  return false;
}

std::string text_of_value(const json& value) {
  return value.is_string() ? value.get<std::string>()
                           : value.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string name_of(const json& row) {
  std::string name;
  const auto append = [&](std::string_view key, const json& value) {
    name += fmt::format("{}{}={}", name.empty() ? "" : " ", key, text_of_value(value));
  };
  for (const std::string_view key : said_first)
    if (row.contains(key)) append(key, row[std::string(key)]);
  for (const auto& [key, value] : row.items())
    if (key != "samples_ts" && !is_one_of(key, no_identity) && !is_one_of(key, said_first))
      append(key, value);
  return name;
}

// The machine: rows of two of them are not comparable. Each value that the file has, once.
void add_host(const json& row, std::vector<model::fact>& environment) {
  for (const char* key : {"cpu_info", "gpu_info"}) {
    if (!row.contains(key)) continue;
    const std::string value = printable(text_of_value(row[key]));
    const auto is_known = [&](const model::fact& f) { return f.name == key && f.value == value; };
    if (std::none_of(environment.begin(), environment.end(), is_known))
      environment.push_back({key, value});
  }
}

result<void> read_row(const json_cursor& row, std::string_view metric, row_book& book,
                      std::vector<model::fact>& environment) {
  ASSAY_TRY_ASSIGN(const json_cursor prompt_at, row.at("n_prompt"));
  ASSAY_TRY_ASSIGN(const json_cursor generated_at, row.at("n_gen"));
  ASSAY_TRY_ASSIGN(const double prompt_tokens, prompt_at.number());
  ASSAY_TRY_ASSIGN(const double generated_tokens, generated_at.number());
  std::vector<double> samples_ns;
  if (const auto list = row.find("samples_ns")) {
    ASSAY_TRY_ASSIGN(samples_ns, list->numbers());
  }
  const bool is_mean = samples_ns.empty();
  if (is_mean) {
    ASSAY_TRY_ASSIGN(const json_cursor mean, row.at("avg_ns"));
    ASSAY_TRY_ASSIGN(const double value, mean.number());
    samples_ns = {value};
  }
  add_host(row.value(), environment);
  const bool is_rate = metric == "avg_ts";
  model::sample_row& out = book.row(name_of(row.value()), is_rate ? "tokens_per_s" : "time");
  book.scale(out, is_rate ? "t/s" : "ns");
  row_book::state_statistic(out, is_mean ? mean_of_summary : best_of_samples);
  for (const double ns : samples_ns)
    book.measure(out, 0, is_rate ? 1e9 * (prompt_tokens + generated_tokens) / ns : ns);
  return {};
}

result<void> read_lines(std::string_view text, std::string_view file, std::string_view metric,
                        row_book& book, std::vector<model::fact>& environment) {
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    auto tree = parse_json(line, file);
    if (!tree)
      return refused(file, fmt::format("line {}", number), "is no JSON",
                     "have llama-bench write it again");
    ASSAY_TRY(read_row(json_cursor(*tree, file), metric, book, environment));
  }
  return {};
}

}  // namespace

result<model::sample_set> parse_llama_bench(std::string_view text, std::string_view file,
                                            std::string_view metric) {
  row_book book;
  model::sample_set set;
  const std::size_t start = text.find_first_not_of(" \t\r\n");
  if (start != std::string_view::npos && text[start] == '{') {
    ASSAY_TRY(read_lines(text, file, metric, book, set.environment));
  } else {
    ASSAY_TRY_ASSIGN(const auto tree, parse_json(text, file));
    ASSAY_TRY_ASSIGN(const auto rows, json_cursor(tree, file).elements());
    for (const json_cursor& row : rows) ASSAY_TRY(read_row(row, metric, book, set.environment));
  }
  if (book.size() == 0)
    return refused(file, "$", "is empty: nothing was measured", "look at what llama-bench printed");
  set.source = file;
  set.format = "llama-bench JSON";
  set.rows = std::move(book).finish();
  return set;
}

}  // namespace assay::ingest
