// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/ingest/jmh.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "harness/ingest/complaint.h"
#include "harness/ingest/json_cursor.h"
#include "harness/ingest/json_text.h"
#include "harness/ingest/row_book.h"

namespace assay::ingest {
namespace {

constexpr std::array<const char*, 4> environment_keys{"threads", "jdkVersion", "vmName",
                                                      "vmVersion"};

std::string text_of_value(const nlohmann::json& value) {
  return value.is_string() ? value.get<std::string>()
                           : value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// Each value that the file has, once: rows of two JDKs are of no one environment.
std::vector<model::fact> environment_of(const std::vector<json_cursor>& rows) {
  std::vector<model::fact> all;
  for (const char* key : environment_keys)
    for (const json_cursor& row : rows) {
      const auto at = row.find(key);
      if (!at) continue;
      model::fact one{key, printable(text_of_value(at->value()))};
      const auto is_same = [&](const model::fact& f) {
        return f.name == one.name && f.value == one.value;
      };
      if (std::none_of(all.begin(), all.end(), is_same)) all.push_back(std::move(one));
    }
  return all;
}

bool is_of_threads(const model::fact& fact) {
  return fact.name == "threads";
}

std::string name_with_parameters(std::string name, const json_cursor& row, bool has_threads) {
  if (const auto parameters = row.find("params"); parameters && parameters->value().is_object())
    for (const auto& [key, value] : parameters->value().items())
      name += fmt::format(" {}={}", key, text_of_value(value));
  if (const auto threads = row.find("threads"); threads && has_threads)
    name += " threads=" + text_of_value(threads->value());
  return name;
}

result<void> read_row(const json_cursor& row, bool has_threads, row_book& book) {
  ASSAY_TRY_ASSIGN(const json_cursor name_at, row.at("benchmark"));
  ASSAY_TRY_ASSIGN(const std::string name, name_at.text());
  if (name.empty()) return name_at.refuse("is empty");
  ASSAY_TRY_ASSIGN(const json_cursor mode_at, row.at("mode"));
  ASSAY_TRY_ASSIGN(const std::string mode, mode_at.text());
  ASSAY_TRY_ASSIGN(const json_cursor metric, row.at("primaryMetric"));
  ASSAY_TRY_ASSIGN(const json_cursor unit_at, metric.at("scoreUnit"));
  ASSAY_TRY_ASSIGN(const std::string unit, unit_at.text());
  std::vector<std::vector<double>> forks;
  if (const auto raw = metric.find("rawData")) {
    ASSAY_TRY_ASSIGN(const auto lists, raw->elements());
    for (const json_cursor& list : lists) {
      ASSAY_TRY_ASSIGN(auto values, list.numbers());
      forks.push_back(std::move(values));
    }
  } else {
    // Sample mode has a histogram instead.
    ASSAY_TRY_ASSIGN(const json_cursor score, metric.at("score"));
    ASSAY_TRY_ASSIGN(const double value, score.number());
    forks.push_back({value});
  }
  model::sample_row& out = book.row(name_with_parameters(name, row, has_threads), mode);
  const double factor = book.scale(out, unit);
  for (std::size_t fork = 0; fork < forks.size(); ++fork)
    for (const double value : forks[fork]) book.measure(out, fork, value * factor);
  return {};
}

}  // namespace

result<model::sample_set> parse_jmh(std::string_view text, std::string_view file,
                                    std::string_view) {
  ASSAY_TRY_ASSIGN(const auto tree, parse_json(text, file));
  const json_cursor root(tree, file);
  ASSAY_TRY_ASSIGN(const auto rows, root.elements());
  if (rows.empty()) return root.refuse("is empty: nothing was measured");
  model::sample_set set;
  set.environment = environment_of(rows);
  // Several settings in one file are several rows of each benchmark, and no property of the file.
  const bool has_threads =
      std::count_if(set.environment.begin(), set.environment.end(), is_of_threads) > 1;
  if (has_threads) std::erase_if(set.environment, is_of_threads);
  row_book book;
  for (const json_cursor& row : rows) ASSAY_TRY(read_row(row, has_threads, book));
  set.source = file;
  set.format = "JMH JSON";
  set.rows = std::move(book).finish();
  return set;
}

}  // namespace assay::ingest
