// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/attribution/deviation_fold.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>

#include "probes/trace/bounded.h"
#include "runtime/telemetry/catalog.h"

namespace assay::attribution {
namespace {

using telemetry::counter_kind;
using trace::difference;
using trace::sum;

constexpr std::array<std::string_view, ASSAY_SOURCE_NVML + 1> sources{
    "nobody",  "device records", "events", "host span",      "ledger", "content",
    "process", "link",           "oracle", "harness events", "nvml"};

bool is_whole(unit of) {
  return of != unit::ratio && of != unit::bytes_per_s && of != unit::tokens_per_s;
}

std::int64_t magnitude(std::int64_t value) {
  return value < 0 ? difference(0, value) : value;
}

bool is_pass(std::uint8_t window) {
  return window == ASSAY_WINDOW_PREFILL || window == ASSAY_WINDOW_DECODE_STEP;
}

bool is_claimed(const trace::claim_row& claims, const joined_activity& work) {
  using telemetry::activity;
  const bool is_kind = (claims.kind == activity::copy && work.activity.op == ASSAY_OP_COPY) ||
                       (claims.kind == activity::launch && work.activity.op == ASSAY_OP_LAUNCH) ||
                       (claims.kind == activity::event && work.activity.op == ASSAY_OP_EVENT);
  const bool is_direction = claims.dir == telemetry::direction::any ||
                            static_cast<std::uint8_t>(claims.dir) == work.activity.direction;
  const auto range = static_cast<std::uint16_t>(claims.range);
  const bool is_range = claims.range == telemetry::range::any
                            ? work.range != static_cast<std::uint16_t>(telemetry::range::sentinel)
                            : range == work.range;
  return is_kind && is_direction && is_range;
}

}  // namespace

void deviation_fold::watch(const std::vector<trace::contract_row>& contract) {
  for (const trace::contract_row& row : contract) {
    counter& made = counters_.emplace_back();
    made.claims = row.claims;
    made.name = row.name;
    made.unit = to_string(row.unit);
    made.is_whole = is_whole(row.unit);
    made.is_cumulative = row.kind == counter_kind::count || row.kind == counter_kind::duration;
    made.is_per_request = row.reset == telemetry::reset_scope::per_request;
  }
  latest_.assign(counters_.size(), assay_reading{});
  base_.assign(counters_.size(), 0);
}

void deviation_fold::take_window(const assay_record& record) {
  if (record.kind == ASSAY_WINDOW_BEGIN) {
    if (!has_origin_) origin_ns_ = record.start_ns;
    has_origin_ = true;
    if (record.op == ASSAY_WINDOW_REQUEST)
      for (std::size_t row = 0; row < base_.size(); ++row)
        if (counters_[row].is_per_request) base_[row] = 0;
    if (open_.size() < max_depth) open_.push_back({record.op, record.correlation, false, base_});
    return;
  }
  if (open_.empty() || open_.back().kind != record.op || open_.back().index != record.correlation)
    return;
  const std::size_t depth = open_.size();
  if (open_.back().has_snapshot) close(open_.back(), record.end_ns);
  std::erase_if(waiting_, [&](const auto& each) { return each.first >= depth; });
  open_.pop_back();
}

void deviation_fold::take_observation(const assay_record& record) {
  const bool is_known = record.stream < counters_.size() && record.direction < sources.size() &&
                        (record.op == ASSAY_EQUAL || record.op == ASSAY_NEAR);
  if (is_known && !open_.empty() && waiting_.size() < max_waiting &&
      counters_[record.stream].is_whole)
    waiting_.emplace_back(open_.size(), record);
}

void deviation_fold::take_snapshot(std::span<const assay_reading> readings) {
  if (readings.size() != latest_.size()) return;
  std::copy(readings.begin(), readings.end(), latest_.begin());
  for (frame& each : open_) each.has_snapshot = true;
  if (!open_.empty()) return;
  for (std::size_t row = 0; row < base_.size(); ++row) {
    base_[row] = has_number(row) ? latest_[row].bits : 0;
    counters_[row].work = {};
  }
}

void deviation_fold::close(const frame& window, std::int64_t end_ns) {
  const std::int64_t at_ns = difference(end_ns, origin_ns_);
  for (const auto& [depth, said] : waiting_)
    if (depth == open_.size()) settle(said, window, at_ns);
  for (std::size_t row = 0; row < counters_.size(); ++row) {
    counter& each = counters_[row];
    if (window.kind == ASSAY_WINDOW_DECODE_STEP && each.is_whole && each.is_cumulative &&
        has_number(row)) {
      const std::int64_t grew = grown(row, base_);
      model::flow_line& flow = each.flow;
      if (flow.steps++ == 0) flow.least = flow.most = grew;
      flow.least = std::min(flow.least, grew);
      flow.most = std::max(flow.most, grew);
      flow.total = sum(flow.total, grew);
      each.grew.add(at_ns, grew);
    }
    if (is_pass(window.kind)) settle_work(row, at_ns);
    each.work = {};
    base_[row] = has_number(row) ? latest_[row].bits : 0;
  }
}

// Who said what a counter must be.
struct deviation_fold::party {
  std::uint8_t source = 0;
  std::uint8_t relation = 0;
  std::string_view name;
  bool is_near = false;
};

void deviation_fold::settle(const assay_record& said, const frame& window, std::int64_t at_ns) {
  const std::size_t row = said.stream;
  if (!has_number(row) && latest_[row].state != ASSAY_NEVER_WRITTEN) return;
  std::int64_t claimed = 0;
  if (has_number(row))
    claimed = counters_[row].is_cumulative ? grown(row, window.base) : latest_[row].bits;
  const party who{said.direction, said.op, sources[said.direction], said.op == ASSAY_NEAR};
  add(row, who, difference(claimed, said.amount), at_ns);
}

void deviation_fold::settle_work(std::size_t row, std::int64_t at_ns) {
  using telemetry::measure;
  const counter& of = counters_[row];
  if (!of.is_whole || !of.is_cumulative || !has_number(row)) return;
  constexpr std::uint8_t records_of_its_work = 0;  // no OBSERVATION has this source
  party who{records_of_its_work, 0, "records of its work", false};
  std::int64_t seen = 0;
  switch (of.claims.measure) {
    case measure::bytes:
      seen = of.work.bytes;
      break;
    case measure::operations:
      seen = of.work.records;
      break;
    case measure::weight_bytes:
      seen = of.work.weight_bytes;
      break;
    case measure::kv_bytes:
      seen = of.work.kv_bytes;
      break;
    case measure::span:
      seen = difference(of.work.last_ns, of.work.first_ns);
      who.is_near = true;
      break;
    case measure::brackets:
      seen = of.work.busy_ns;
      who.is_near = true;
      break;
    default:
      return;
  }
  add(row, who, difference(grown(row, base_), seen), at_ns);
}

void deviation_fold::add(std::size_t row, const party& who, std::int64_t off, std::int64_t at_ns) {
  compared& to = compared_[{static_cast<std::uint32_t>(row), who.source, who.relation}];
  model::deviation_line& line = to.line;
  if (line.windows++ == 0) {
    line.name = counters_[row].name;
    line.unit = counters_[row].unit;
    line.against = who.name;
    line.is_near = who.is_near;
    line.least = line.most = off;
    line.worst_at_ns = at_ns;
  }
  if (magnitude(off) > std::max(magnitude(line.least), magnitude(line.most)))
    line.worst_at_ns = at_ns;
  line.unequal += off != 0 ? 1 : 0;
  line.total = sum(line.total, off);
  line.least = std::min(line.least, off);
  line.most = std::max(line.most, off);
  to.stretches.add(at_ns, off);
}

const std::vector<std::size_t>& deviation_fold::claimants(const joined_activity& work) {
  const auto [at, is_new] = claimants_.try_emplace(
      {work.activity.op, work.activity.direction, work.range}, std::vector<std::size_t>{});
  if (!is_new) return at->second;
  for (std::size_t row = 0; row < counters_.size(); ++row)
    if (is_claimed(counters_[row].claims, work)) at->second.push_back(row);
  return at->second;
}

void deviation_fold::on_activity(const joined_activity& work) {
  const assay_record& activity = work.activity;
  for (const std::size_t row : claimants(work)) {
    work_seen& seen = counters_[row].work;
    if (seen.records++ == 0) {
      seen.first_ns = activity.start_ns;
      seen.last_ns = activity.end_ns;
    }
    seen.first_ns = std::min(seen.first_ns, activity.start_ns);
    seen.last_ns = std::max(seen.last_ns, activity.end_ns);
    seen.bytes = sum(seen.bytes, activity.amount);
    seen.weight_bytes = sum(seen.weight_bytes, activity.extra[1]);
    seen.kv_bytes = sum(seen.kv_bytes, activity.extra[2]);
    seen.busy_ns = sum(seen.busy_ns, difference(activity.end_ns, activity.start_ns));
  }
}

bool deviation_fold::has_number(std::size_t row) const {
  return latest_[row].state == ASSAY_MEASURED || latest_[row].state == ASSAY_ZERO;
}

std::int64_t deviation_fold::grown(std::size_t row, const std::vector<std::int64_t>& base) const {
  return difference(latest_[row].bits, base[row]);
}

std::vector<model::flow_line> deviation_fold::flows() const {
  std::vector<model::flow_line> out;
  for (const counter& each : counters_) {
    if (each.flow.steps == 0 || (each.flow.least == 0 && each.flow.most == 0)) continue;
    out.push_back(each.flow);
    out.back().name = each.name;
    out.back().unit = each.unit;
    out.back().stretches = each.grew.stretches();
  }
  return out;
}

std::vector<model::deviation_line> deviation_fold::deviations() const {
  std::vector<model::deviation_line> out;
  for (const auto& [key, each] : compared_) {
    out.push_back(each.line);
    out.back().stretches = each.stretches.stretches();
  }
  return out;
}

}  // namespace assay::attribution
