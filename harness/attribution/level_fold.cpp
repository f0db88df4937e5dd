// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/attribution/level_fold.h"

#include <algorithm>
#include <string>

#include "probes/trace/bounded.h"
#include "runtime/telemetry/catalog.h"

namespace assay::attribution {
namespace {

using telemetry::counter_kind;

bool is_level(const trace::contract_row& row) {
  const bool is_real =
      row.unit == unit::ratio || row.unit == unit::bytes_per_s || row.unit == unit::tokens_per_s;
  return !is_real && (row.kind == counter_kind::gauge || row.kind == counter_kind::peak);
}

}  // namespace

void level_fold::watch(const std::vector<trace::contract_row>& contract) {
  for (std::size_t row = 0; row < contract.size(); ++row) {
    if (!is_level(contract[row])) continue;
    level& made = levels_.emplace_back();
    made.row = row;
    made.line.name = contract[row].name;
    made.line.unit = to_string(contract[row].unit);
    made.line.kind = to_string(contract[row].kind);
  }
}

void level_fold::take(std::int64_t at_ns, std::span<const assay_reading> readings) {
  if (!has_origin_) origin_ns_ = at_ns;
  has_origin_ = true;
  for (level& each : levels_) {
    if (each.row >= readings.size()) return;
    const assay_reading& reading = readings[each.row];
    if (reading.state != ASSAY_MEASURED && reading.state != ASSAY_ZERO) continue;
    add(each, trace::difference(at_ns, origin_ns_), reading.bits);
  }
}

void level_fold::add(level& to, std::int64_t at_ns, std::int64_t value) {
  model::level_line& line = to.line;
  if (line.samples++ == 0) line.first = line.least = line.most = value;
  line.last = value;
  line.least = std::min(line.least, value);
  line.most = std::max(line.most, value);
  to.stretches.add(at_ns, value);
}

std::vector<model::level_line> level_fold::lines() const {
  std::vector<model::level_line> out;
  for (const level& each : levels_) {
    if (each.line.samples == 0) continue;
    out.push_back(each.line);
    out.back().stretches = each.stretches.stretches();
  }
  return out;
}

}  // namespace assay::attribution
