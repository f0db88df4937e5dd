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

// Two neighbours become one, which keeps the least and the most of both.
void halve(std::vector<model::level_stretch>& stretches) {
  std::size_t kept = 0;
  for (std::size_t at = 0; at < stretches.size(); at += 2, ++kept) {
    model::level_stretch joined = stretches[at];
    if (at + 1 < stretches.size()) {
      joined.least = std::min(joined.least, stretches[at + 1].least);
      joined.most = std::max(joined.most, stretches[at + 1].most);
    }
    stretches[kept] = joined;
  }
  stretches.resize(kept);
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
  if (line.stretches.empty() || to.samples_in_last == to.samples_a_stretch) {
    if (line.stretches.size() == max_stretches) {
      halve(line.stretches);
      to.samples_a_stretch *= 2;
    }
    line.stretches.push_back({at_ns, value, value});
    to.samples_in_last = 1;
    return;
  }
  model::level_stretch& last = line.stretches.back();
  last.least = std::min(last.least, value);
  last.most = std::max(last.most, value);
  ++to.samples_in_last;
}

std::vector<model::level_line> level_fold::lines() const {
  std::vector<model::level_line> out;
  for (const level& each : levels_)
    if (each.line.samples > 0) out.push_back(each.line);
  return out;
}

}  // namespace assay::attribution
