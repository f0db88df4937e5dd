// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/ingest/pytest_benchmark.h"

#include <string>
#include <vector>

#include "harness/ingest/json_cursor.h"
#include "harness/ingest/json_text.h"
#include "harness/ingest/row_book.h"

namespace assay::ingest {
namespace {

result<void> read_row(const json_cursor& row, row_book& book) {
  ASSAY_TRY_ASSIGN(const json_cursor name_at, row.at(row.has("fullname") ? "fullname" : "name"));
  ASSAY_TRY_ASSIGN(const std::string name, name_at.text());
  if (name.empty()) return name_at.refuse("is empty");
  ASSAY_TRY_ASSIGN(const json_cursor stats, row.at("stats"));
  std::vector<double> rounds;
  if (const auto data = stats.find("data")) {
    ASSAY_TRY_ASSIGN(rounds, data->numbers());
  }
  if (rounds.empty()) {
    ASSAY_TRY_ASSIGN(const json_cursor least, stats.at("min"));
    ASSAY_TRY_ASSIGN(const double value, least.number());
    rounds = {value};
  }
  model::sample_row& out = book.row(name, "round_time");
  const double factor = book.scale(out, "s");
  for (const double value : rounds) book.measure(out, 0, value * factor);
  for (const auto& [key, value] : row.value().items())
    if (key == "params" || key == "extra_info" || key == "options" || key == "group")
      out.kept.push_back(
          {key, value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)});
  return {};
}

void add_fact(const json_cursor& root, const char* section, const char* key,
              std::vector<model::fact>& into) {
  const auto found = root.find(section);
  const auto value = found ? found->find(key) : std::nullopt;
  if (value)
    into.push_back(
        {key, value->value().dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)});
}

}  // namespace

result<model::sample_set> parse_pytest_benchmark(std::string_view text, std::string_view file,
                                                 std::string_view) {
  ASSAY_TRY_ASSIGN(const auto tree, parse_json(text, file));
  const json_cursor root(tree, file);
  ASSAY_TRY_ASSIGN(const json_cursor list, root.at("benchmarks"));
  ASSAY_TRY_ASSIGN(const auto rows, list.elements());
  if (rows.empty()) return list.refuse("is empty: nothing was measured");
  row_book book;
  for (const json_cursor& row : rows) ASSAY_TRY(read_row(row, book));
  model::sample_set set;
  set.source = file;
  set.format = "pytest-benchmark JSON";
  for (const char* key : {"node", "machine", "python_implementation", "python_version"})
    add_fact(root, "machine_info", key, set.environment);
  for (const char* key : {"id", "dirty", "branch"}) add_fact(root, "commit_info", key, set.facts);
  set.rows = std::move(book).finish();
  return set;
}

}  // namespace assay::ingest
