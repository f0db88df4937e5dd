// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/audit/shares.h"

#include <bit>
#include <string>
#include <utility>

namespace assay::audit_test {
namespace {

using telemetry::counter_kind;
using telemetry::link_class;
using telemetry::reset_scope;

constexpr double true_request_rate = 1000.0;

trace::contract_row share(const char* name, unit u, counter_kind kind, const char* identity) {
  trace::contract_row made;
  made.name = name;
  made.unit = u;
  made.kind = kind;
  const bool is_timed = kind == counter_kind::duration || kind == counter_kind::rate;
  made.clock = is_timed ? clock_domain::host : clock_domain::none;
  made.bracket = "as simulated";
  made.claims.reason = "no device work";
  made.pairs_with.reason = "nothing moves";
  made.identity = identity;
  made.reset = kind == counter_kind::count || kind == counter_kind::duration
                   ? reset_scope::per_process
                   : reset_scope::never;
  return made;
}

void add_rows(test_trace& run) {
  using enum counter_kind;
  auto& rows = run.rows;
  constexpr const char* lookups =
      "test.cache.hits_count + test.cache.misses_count = test.cache.lookups_count";
  rows.push_back(share("test.cache.hits_count", unit::count, count, lookups));
  rows.push_back(share("test.cache.misses_count", unit::count, count, lookups));
  rows.push_back(share("test.cache.lookups_count", unit::count, count, lookups));
  rows.push_back(share("test.cache.hit_ratio", unit::ratio, ratio,
                       "test.cache.hit_ratio = test.cache.hits_count / test.cache.lookups_count"));
  constexpr const char* shares = "test.time.compute_ratio + test.time.copy_ratio = 1";
  rows.push_back(share("test.time.compute_ratio", unit::ratio, ratio, shares));
  rows.push_back(share("test.time.copy_ratio", unit::ratio, ratio, shares));
  rows.push_back(share("test.read.host_bytes", unit::bytes, count, "none"));
  rows.push_back(share("test.read.host_ns", unit::ns, duration, "none"));
  rows.push_back(share("test.read.host_bytes_per_s", unit::bytes_per_s, rate,
                       "test.read.host_bytes_per_s = test.read.host_bytes / test.read.host_ns"));
  rows.back().pairs_with = {"test.read.host_bytes", link_class::host_read, {}};
  rows.push_back(share("test.cache.live_pages", unit::pages, gauge, "none"));
  rows.push_back(share("test.engine.request_tokens_per_s", unit::tokens_per_s, rate, "none"));
  run.facts.ceilings.push_back({link_class::host_read, 10e9, 20e9, 5, {}});
}

// Honest readings of the nth snapshot; the parts of a quotient never stand in one proportion.
std::vector<assay_reading> honest(std::int64_t nth) {
  constexpr std::size_t first = row_total;
  std::vector<assay_reading> made(std::size_t{share_row_total} - first);
  const auto at = [&](share_row which) -> assay_reading& {
    return made[std::size_t{which} - first];
  };
  set_integer(at(cache_hits), 3 * nth);
  set_integer(at(cache_misses), 2 * nth + 1);
  set_integer(at(cache_lookups), 5 * nth + 1);
  set_real(at(hit_ratio), static_cast<double>(3 * nth) / static_cast<double>(5 * nth + 1));
  set_real(at(compute_share), 0.75);
  set_real(at(copy_share), 0.25);
  set_integer(at(read_bytes), 8'000 * nth);
  set_integer(at(read_ns), 1'000 * nth + 7);
  set_real(at(read_rate),
           static_cast<double>(8'000 * nth) * 1e9 / static_cast<double>(1'000 * nth + 7));
  set_integer(at(live_pages), nth);
  set_real(at(request_rate), true_request_rate);
  return made;
}

assay_record observation(std::size_t which, int source, std::int64_t bits) {
  assay_record made{};
  made.kind = ASSAY_OBSERVATION;
  made.stream = static_cast<std::uint32_t>(which);
  made.op = ASSAY_EQUAL;
  made.direction = static_cast<std::uint8_t>(source);
  made.amount = bits;
  return made;
}

// Of the window that the snapshot closes: what came since the one before, and levels.
void add_observations(std::vector<piece>& to, std::int64_t nth, bool is_leaf) {
  for (const int source : {ASSAY_SOURCE_LEDGER, ASSAY_SOURCE_CONTENT}) {
    if (is_leaf) to.emplace_back(observation(cache_hits, source, 3));
    to.emplace_back(observation(live_pages, source, nth));
    to.emplace_back(
        observation(request_rate, source, std::bit_cast<std::int64_t>(true_request_rate)));
  }
}

}  // namespace

void set_integer(assay_reading& reading, std::int64_t value) {
  reading = {value, static_cast<std::uint32_t>(value == 0 ? ASSAY_ZERO : ASSAY_MEASURED), 0};
}

void set_real(assay_reading& reading, double value) {
  reading = {std::bit_cast<std::int64_t>(value),
             static_cast<std::uint32_t>(value == 0 ? ASSAY_ZERO : ASSAY_MEASURED), 0};
}

double real_of(const assay_reading& reading) {
  return std::bit_cast<double>(reading.bits);
}

double span_ns_of(const test_trace& run, int window) {
  double sum = 0.0;
  std::int64_t begin = 0;
  for (const piece& each : run.pieces) {
    const auto* record = std::get_if<assay_record>(&each);
    if (record == nullptr || record->op != window) continue;
    if (record->kind == ASSAY_WINDOW_BEGIN) begin = record->start_ns;
    if (record->kind == ASSAY_WINDOW_END) sum += static_cast<double>(record->end_ns - begin);
  }
  return sum;
}

test_trace with_shares(test_trace run, const share_lie& told) {
  add_rows(run);
  std::vector<piece> pieces;
  std::int64_t nth = 0;
  std::vector<int> open;
  for (piece& each : run.pieces) {
    if (const auto* record = std::get_if<assay_record>(&each)) {
      if (record->kind == ASSAY_WINDOW_BEGIN) open.push_back(record->op);
      if (record->kind == ASSAY_WINDOW_END) open.pop_back();
    }
    if (auto* shot = std::get_if<snapshot_piece>(&each)) {
      ++nth;
      add_observations(pieces, nth, open.back() != ASSAY_WINDOW_REQUEST);
      for (const assay_reading& reading : honest(nth)) shot->readings.push_back(reading);
      if (told) told(shot->readings, nth);
    }
    pieces.push_back(std::move(each));
  }
  run.pieces = std::move(pieces);
  return run;
}

}  // namespace assay::audit_test
