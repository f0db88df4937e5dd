// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The one way a counter is written. The runtime writes through this interface and never reads.
#pragma once

#include <cstdint>
#include <string_view>

#include "runtime/telemetry/catalog.h"

namespace assay::telemetry {

/// Takes what the runtime publishes.
/// Threads: every call may come from any thread. Errors: none; a writer never fails its caller.
/// Overhead: see registry.h for the honest implementation.
class counter_writer {
 public:
  virtual ~counter_writer() = default;

  /// Adds to a cumulative counter (count, duration).
  virtual void add(counter_id id, std::int64_t amount) noexcept = 0;
  /// Sets a level (gauge) or a duration that holds its last interval.
  virtual void set(counter_id id, std::int64_t value) noexcept = 0;
  /// Sets a ratio or a rate.
  virtual void set_real(counter_id id, double value) noexcept = 0;
  /// Raises a peak to at least `value`.
  virtual void raise(counter_id id, std::int64_t value) noexcept = 0;
  /// Says that this run cannot have the counter, and why. `reason` is a string literal.
  virtual void mark_not_applicable(counter_id id, std::string_view reason) noexcept = 0;
  /// A request begins: every counter with reset per_request starts again.
  virtual void begin_request() noexcept = 0;
};

/// Swallows everything: the "counters off" arm of a cost measurement.
class null_writer final : public counter_writer {
 public:
  void add(counter_id, std::int64_t) noexcept override {}
  void set(counter_id, std::int64_t) noexcept override {}
  void set_real(counter_id, double) noexcept override {}
  void raise(counter_id, std::int64_t) noexcept override {}
  void mark_not_applicable(counter_id, std::string_view) noexcept override {}
  void begin_request() noexcept override {}
};

}  // namespace assay::telemetry
