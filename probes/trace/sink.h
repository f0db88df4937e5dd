// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Where a trace goes: a file, an audit, or a filter in front of either.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "probes/trace/assay_trace.h"
#include "runtime/telemetry/result.h"

namespace assay::trace {

/// Takes a trace piece by piece, in the order of the file: contract and facts first, then records
/// and snapshots as they happen, then end().
/// Threads: one at a time.
/// Errors: io, where a piece could not be kept; the producer stops and says so.
class sink {
 public:
  virtual ~sink() = default;
  virtual result<void> contract(std::string_view json) = 0;
  virtual result<void> facts(std::string_view json) = 0;
  virtual result<void> records(std::span<const assay_record> records) = 0;
  /// `readings` has one entry a contract row, in the contract's order.
  virtual result<void> snapshot(std::int64_t at_ns, std::span<const assay_reading> readings) = 0;
  /// The producer is done; nothing is missing behind this point.
  virtual result<void> end() = 0;
};

}  // namespace assay::trace
