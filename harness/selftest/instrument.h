// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// An instrument beside the runtime: it receives what the honest registry receives, in the same run,
// and keeps a registry of its own. A lie overrides one of the ways in; everything else stays
// honest.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "probes/trace/assay_trace.h"
#include "runtime/device/device.h"
#include "runtime/telemetry/counter_writer.h"
#include "runtime/telemetry/registry.h"

namespace assay::selftest {

/// A call of the runtime into its device, seen from outside. Clock: host, around the call.
struct device_call {
  device::operation_kind kind;
  device::copy_direction direction;  ///< copies only
  device::range_label range;
  device::event event;  ///< event records only
  std::int64_t start_ns;
  std::int64_t end_ns;
};

/// The honest instrument. Threads: one run's thread.
class instrument : public telemetry::counter_writer {
 public:
  void add(telemetry::counter_id id, std::int64_t amount) noexcept override {
    registry_.add(id, amount);
  }
  void set(telemetry::counter_id id, std::int64_t value) noexcept override {
    registry_.set(id, value);
  }
  void set_real(telemetry::counter_id id, double value) noexcept override {
    registry_.set_real(id, value);
  }
  void raise(telemetry::counter_id id, std::int64_t value) noexcept override {
    registry_.raise(id, value);
  }
  void mark_not_applicable(telemetry::counter_id id, std::string_view why) noexcept override {
    registry_.mark_not_applicable(id, why);
  }
  void begin_request() noexcept override { registry_.begin_request(); }

  /// What the runtime asked of its device, after each call. `real` may be asked too.
  virtual void on_call(const device_call& call, device::device& real) noexcept {
    static_cast<void>(call);
    static_cast<void>(real);
  }

  /// The contract under which this instrument publishes, given the runtime's own.
  virtual std::string contract(std::string_view json) const { return std::string(json); }

  /// What the trace says of the run, given what is true.
  virtual std::string facts(std::string_view json) const { return std::string(json); }

  /// Damages the ground truth on its way into this instrument's trace: returns what is kept, either
  /// `seen` itself or what it put into `scratch`, which comes empty.
  virtual std::span<const assay_record> filter(std::span<const assay_record> seen,
                                               std::vector<assay_record>& scratch) {
    static_cast<void>(scratch);
    return seen;
  }

  const telemetry::registry& readings() const { return registry_; }

 protected:
  telemetry::registry registry_;
};

}  // namespace assay::selftest
