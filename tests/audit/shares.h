// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Counters that are made of other counters, and a level that grows, beside those of the simulated
// run: a cache with its hit rate, a time with its shares, a reading rate with its parts.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "tests/audit/trace_builder.h"

namespace assay::audit_test {

/// Rows behind those of the test contract.
enum share_row : std::size_t {
  cache_hits = row_total,
  cache_misses,
  cache_lookups,  ///< hits + misses
  hit_ratio,      ///< hits over lookups
  compute_share,
  copy_share,  ///< the two are one
  read_bytes,
  read_ns,
  read_rate,     ///< bytes over ns, from host memory
  live_pages,    ///< a level: 1, 2, 3 … a pass
  request_rate,  ///< tokens a second over a request's time
  share_row_total
};

/// Changes the readings of the nth snapshot, counted from 1.
using share_lie = std::function<void(std::vector<assay_reading>& readings, std::int64_t nth)>;

test_trace with_shares(test_trace run, const share_lie& told = {});

void set_integer(assay_reading& reading, std::int64_t value);
void set_real(assay_reading& reading, double value);
double real_of(const assay_reading& reading);

/// Host time of all windows of a kind.
double span_ns_of(const test_trace& run, int window);

}  // namespace assay::audit_test
