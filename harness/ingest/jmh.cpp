// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/ingest/jmh.h"

#include <string>
#include <vector>

#include <fmt/format.h>

#include "harness/ingest/json_cursor.h"
#include "harness/ingest/json_text.h"
#include "harness/ingest/row_book.h"

namespace assay::ingest {
namespace {

std::string name_with_parameters(std::string name, const json_cursor& row) {
  if (const auto parameters = row.find("params"); parameters && parameters->value().is_object())
    for (const auto& [key, value] : parameters->value().items())
      name += fmt::format(
          " {}={}", key,
          value.is_string() ? value.get<std::string>()
                            : value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  return name;
}

result<void> read_row(const json_cursor& row, row_book& book) {
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
  model::sample_row& out = book.row(name_with_parameters(name, row), mode);
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
  row_book book;
  for (const json_cursor& row : rows) ASSAY_TRY(read_row(row, book));
  model::sample_set set;
  set.source = file;
  set.format = "JMH JSON";
  set.rows = std::move(book).finish();
  return set;
}

}  // namespace assay::ingest
