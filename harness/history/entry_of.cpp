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

entry entry_of(const model::investigation& report, model::outcome outcome, std::string commit) {
  entry made{"report", std::string(to_string(outcome)), std::move(commit), report.audit.facts, {}};
  const auto add = [&](std::string name, const char* metric, const char* unit,
                       const model::quantity& value) {
    measure& each = made.measures.emplace_back();
    each.name = std::move(name);
    each.metric = metric;
    each.unit = unit;
    put(value, each);
  };
  add("decode speed", "", "tokens_per_s", report.tokens_per_s);
  for (const model::latency_line& each : report.latencies)
    for (const auto& [metric, ns] : {std::pair{"p50", each.p50_ns}, std::pair{"p99", each.p99_ns}})
      add(each.name, metric, "ns", {each.samples > 0, false, ns, 0.0, each.absence});
  const auto passes = static_cast<std::int64_t>(report.decode.passes);
  const auto a_step = [&](std::string name, std::int64_t total_ns) {
    add("decode step: " + std::move(name), "", "ns",
        {passes > 0, false, passes > 0 ? total_ns / passes : 0, 0.0,
         passes > 0 ? "" : "the trace holds no decode step"});
  };
  a_step("wall", report.decode.wall_ns);
  for (std::size_t at = 0; at < model::time_part_count; ++at)
    a_step(std::string(to_string(static_cast<model::time_part>(at))), report.decode.parts[at]);
  a_step("residual", report.decode.residual_ns);
  return made;
}

}  // namespace assay::history
