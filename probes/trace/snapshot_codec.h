// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Counter snapshots to the readings of a trace and back.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "probes/trace/assay_trace.h"
#include "probes/trace/run_facts.h"
#include "probes/trace/sink.h"
#include "runtime/telemetry/reading.h"
#include "runtime/telemetry/registry.h"
#include "runtime/telemetry/result.h"

namespace assay::trace {

/// Numbers the reasons of absent readings, from 1 in the order in which they first appear. It only
/// grows: an index once given out stays right in every later FACTS block.
/// Threads: one at a time.
class reason_table {
 public:
  /// The index of `reason`; 0 for none.
  std::uint32_t index_of(std::string_view reason);
  const std::vector<std::string>& reasons() const { return reasons_; }

 private:
  std::vector<std::string> reasons_;
  std::map<std::string, std::uint32_t, std::less<>> index_;
};

assay_reading encode(const telemetry::reading& reading, reason_table& reasons);

/// One reading a counter, in the catalog's order.
std::vector<assay_reading> encode(const telemetry::snapshot& snapshot, reason_table& reasons);

/// A reading of a trace. `reasons` are those of its facts, and the result's reason points into
/// them: keep them alive.
/// Errors: unusable_input, where the state is none of assay_reading_state. A reason's index that
/// the facts do not have gives a reason that says so.
result<telemetry::reading> decode(const assay_reading& from, std::span<const std::string> reasons);

/// Writes snapshots of one run; in front of one that brings a new reason it writes that reason's
/// FACTS block, so that a trace which is cut off later can still explain what it holds.
/// Threads: one at a time.
class snapshot_writer {
 public:
  explicit snapshot_writer(sink& into) : into_(into) {}
  result<void> write(std::int64_t at_ns, const telemetry::snapshot& snapshot);

 private:
  sink& into_;
  reason_table reasons_;
  std::size_t written_reasons_ = 0;
  std::vector<assay_reading> readings_;
};

}  // namespace assay::trace
