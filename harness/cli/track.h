// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// One run, several instruments: each track has its own counters and its own trace of the same run.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "harness/selftest/instrument.h"
#include "probes/trace/sink.h"
#include "probes/trace/snapshot_codec.h"
#include "runtime/telemetry/counter_writer.h"

namespace assay::cli {

/// An instrument beside the runtime and the trace that it writes. Neither is owned.
struct track {
  selftest::instrument* instrument = nullptr;
  trace::sink* out = nullptr;
};

/// Gives every write of the runtime to each instrument.
class fan_out_writer final : public telemetry::counter_writer {
 public:
  explicit fan_out_writer(std::span<const track> tracks) : tracks_(tracks.begin(), tracks.end()) {}

  void add(telemetry::counter_id id, std::int64_t amount) noexcept override {
    for (const track& each : tracks_) each.instrument->add(id, amount);
  }
  void set(telemetry::counter_id id, std::int64_t value) noexcept override {
    for (const track& each : tracks_) each.instrument->set(id, value);
  }
  void set_real(telemetry::counter_id id, double value) noexcept override {
    for (const track& each : tracks_) each.instrument->set_real(id, value);
  }
  void raise(telemetry::counter_id id, std::int64_t value) noexcept override {
    for (const track& each : tracks_) each.instrument->raise(id, value);
  }
  void mark_not_applicable(telemetry::counter_id id, std::string_view why) noexcept override {
    for (const track& each : tracks_) each.instrument->mark_not_applicable(id, why);
  }
  void begin_request() noexcept override {
    for (const track& each : tracks_) each.instrument->begin_request();
  }

 private:
  std::vector<track> tracks_;
};

}  // namespace assay::cli
