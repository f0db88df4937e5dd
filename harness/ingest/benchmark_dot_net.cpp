// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/ingest/benchmark_dot_net.h"

#include <string>
#include <vector>

#include "harness/ingest/json_cursor.h"
#include "harness/ingest/json_text.h"
#include "harness/ingest/row_book.h"

namespace assay::ingest {
namespace {

struct launch_value {
  std::size_t launch;
  double ns;
};

bool says(const json_cursor& at, const char* key, std::string_view wanted) {
  const auto found = at.find(key);
  return found && found->value().is_string() &&
         found->value().get_ref<const std::string&>() == wanted;
}

// Only what is a result: pilots, warm-ups and overhead are in the same list.
result<std::vector<launch_value>> measurements(const json_cursor& row) {
  std::vector<launch_value> values;
  const auto list = row.find("Measurements");
  if (!list) return values;
  ASSAY_TRY_ASSIGN(const auto all, list->elements());
  for (const json_cursor& each : all) {
    if (!says(each, "IterationStage", "Result")) continue;
    if (each.has("IterationMode") && !says(each, "IterationMode", "Workload")) continue;
    ASSAY_TRY_ASSIGN(const json_cursor ns_at, each.at("Nanoseconds"));
    ASSAY_TRY_ASSIGN(const json_cursor operations_at, each.at("Operations"));
    ASSAY_TRY_ASSIGN(const double ns, ns_at.number());
    ASSAY_TRY_ASSIGN(const double operations, operations_at.number());
    if (!(operations >= 1)) return operations_at.refuse("is no count of operations");
    std::size_t launch = 1;
    if (const auto index = each.find("LaunchIndex")) {
      ASSAY_TRY_ASSIGN(const double number, index->number());
      if (!(number >= 0 && number < 1e6)) return index->refuse("is no index");
      launch = static_cast<std::size_t>(number);
    }
    values.push_back({launch, ns / operations});
  }
  return values;
}

result<void> read_row(const json_cursor& row, row_book& book) {
  ASSAY_TRY_ASSIGN(const json_cursor name_at, row.at("FullName"));
  ASSAY_TRY_ASSIGN(const std::string name, name_at.text());
  if (name.empty()) return name_at.refuse("is empty");
  ASSAY_TRY_ASSIGN(auto values, measurements(row));
  const auto statistics = row.find("Statistics");
  if (values.empty() && statistics) {
    ASSAY_TRY_ASSIGN(const json_cursor list, statistics->at("OriginalValues"));
    ASSAY_TRY_ASSIGN(const auto numbers, list.numbers());
    for (const double ns : numbers) values.push_back({1, ns});
  }
  model::sample_row& out = book.row(name, "operation_time");
  book.scale(out, "ns");
  for (const launch_value& each : values) book.measure(out, each.launch, each.ns);
  if (!statistics) row_book::fail(out, "has no statistics: it did not run");
  return {};
}

}  // namespace

result<model::sample_set> parse_benchmark_dot_net(std::string_view text, std::string_view file,
                                                  std::string_view) {
  ASSAY_TRY_ASSIGN(const auto tree, parse_json(text, file));
  const json_cursor root(tree, file);
  ASSAY_TRY_ASSIGN(const json_cursor list, root.at("Benchmarks"));
  ASSAY_TRY_ASSIGN(const auto rows, list.elements());
  if (rows.empty()) return list.refuse("is empty: nothing was measured");
  row_book book;
  for (const json_cursor& row : rows) ASSAY_TRY(read_row(row, book));
  model::sample_set set;
  set.source = file;
  set.format = "BenchmarkDotNet JSON";
  if (const auto host = root.find("HostEnvironmentInfo"))
    for (const char* key : {"ProcessorName", "RuntimeVersion", "Configuration"})
      if (const auto value = host->find(key))
        set.environment.push_back(
            {key, value->value().dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)});
  set.rows = std::move(book).finish();
  return set;
}

}  // namespace assay::ingest
