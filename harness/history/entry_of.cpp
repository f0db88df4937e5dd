// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/history/entry_of.h"

#include <cmath>
#include <utility>

namespace assay::history {
namespace {

// A database has no place for what is not a number: it is kept as an absence that says so.
void put(const model::quantity& from, measure& to) {
  if (!from.is_present) {
    to.absence = from.absence.empty() ? "no number" : from.absence;
    return;
  }
  const double value = from.is_real ? from.real : static_cast<double>(from.integer);
  if (std::isfinite(value))
    to.value = value;
  else
    to.absence = "not a finite number";
}

}  // namespace

entry entry_of(const model::audit_report& report, model::outcome outcome, std::string commit) {
  entry made{"audit", std::string(to_string(outcome)), std::move(commit), report.facts, {}};
  for (const model::counter_line& line : report.counters) {
    measure each;
    each.name = line.name;
    each.unit = line.unit;
    each.state = to_string(line.verdict);
    put(line.claimed, each);
    made.measures.push_back(std::move(each));
  }
  return made;
}

entry entry_of(const model::comparison_report& report, model::outcome outcome, std::string commit) {
  entry made{"compare", std::string(to_string(outcome)), std::move(commit), report.facts, {}};
  for (const model::comparison_row& row : report.rows) {
    measure each;
    each.name = row.name;
    each.metric = row.metric;
    each.unit = row.unit;
    each.state = to_string(row.state);
    put(row.head, each);
    made.measures.push_back(std::move(each));
  }
  return made;
}

}  // namespace assay::history
