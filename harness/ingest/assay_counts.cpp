// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/ingest/assay_counts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string>
#include <utility>

#include "harness/ingest/json_cursor.h"
#include "harness/ingest/json_text.h"
#include "harness/ingest/metric_unit.h"

namespace assay::ingest {
namespace {

constexpr int format_version = 1;

model::direction direction_of(std::string_view name) {
  constexpr std::array fewer_is_better{"_bytes", "_pages", "allocations_count", "copies_count",
                                       "launches_count"};
  return std::any_of(fewer_is_better.begin(), fewer_is_better.end(),
                     [&](std::string_view ending) { return name.ends_with(ending); })
             ? model::direction::lower_is_better
             : model::direction::unknown;
}

result<model::sample_row> read_row(const json_cursor& at) {
  model::sample_row row;
  ASSAY_TRY_ASSIGN(const json_cursor name_at, at.at("name"));
  ASSAY_TRY_ASSIGN(row.name, name_at.text());
  if (row.name.empty()) return name_at.refuse("is empty");
  ASSAY_TRY_ASSIGN(const json_cursor unit_at, at.at("unit"));
  ASSAY_TRY_ASSIGN(row.unit, unit_at.text());
  if (is_always_positive(row.unit)) return unit_at.refuse("is of a time or rate, and no count's");
  row.metric = "count";
  row.better = direction_of(row.name);
  row.is_exact = true;
  row.iteration_count = 1;
  if (const auto absence = at.find("absence")) {
    ASSAY_TRY_ASSIGN(row.failure, absence->text());
    if (row.failure.empty()) return absence->refuse("gives no reason");
    return row;
  }
  ASSAY_TRY_ASSIGN(const json_cursor value_at, at.at("value"));
  ASSAY_TRY_ASSIGN(const double value, value_at.number());
  // 2^53, which its upper neighbour is read as: from here on two counts can look equal.
  constexpr double first_inexact = 9007199254740992.0;
  if (value != std::floor(value) || !(std::abs(value) < first_inexact))
    return value_at.refuse("is no whole number that is known exactly");
  row.process_values = {value};
  return row;
}

}  // namespace

result<model::sample_set> parse_assay_counts(std::string_view text, std::string_view file,
                                             std::string_view) {
  ASSAY_TRY_ASSIGN(const auto tree, parse_json(text, file));
  const json_cursor root(tree, file);
  ASSAY_TRY_ASSIGN(const json_cursor version, root.at("assay_counts"));
  ASSAY_TRY_ASSIGN(const double number, version.number());
  if (number != format_version) return version.refuse("is another version's");
  ASSAY_TRY_ASSIGN(const json_cursor list, root.at("rows"));
  ASSAY_TRY_ASSIGN(const auto rows, list.elements());
  if (rows.empty()) return list.refuse("is empty: nothing was counted");
  model::sample_set set;
  set.source = file;
  set.format = "Assay counts";
  std::set<std::string> names;
  for (const json_cursor& each : rows) {
    ASSAY_TRY_ASSIGN(model::sample_row row, read_row(each));
    if (!names.insert(row.name).second) return each.refuse("has a name that was there before");
    set.rows.push_back(std::move(row));
  }
  return set;
}

}  // namespace assay::ingest
