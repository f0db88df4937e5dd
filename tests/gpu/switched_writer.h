// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// A writer of counters that can be switched off, and a sink that keeps nothing.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "probes/trace/sink.h"
#include "runtime/telemetry/counter_writer.h"

namespace assay::test {

/// Passes writes on while it is on, and counts them.
class switched_writer final : public telemetry::counter_writer {
 public:
  explicit switched_writer(telemetry::counter_writer& to) : to_(to) {}
  void add(telemetry::counter_id id, std::int64_t amount) noexcept override {
    if (is_on) to_.add(id, amount), ++writes;
  }
  void set(telemetry::counter_id id, std::int64_t value) noexcept override {
    if (is_on) to_.set(id, value), ++writes;
  }
  void set_real(telemetry::counter_id id, double value) noexcept override {
    if (is_on) to_.set_real(id, value), ++writes;
  }
  void raise(telemetry::counter_id id, std::int64_t value) noexcept override {
    if (is_on) to_.raise(id, value), ++writes;
  }
  void mark_not_applicable(telemetry::counter_id id, std::string_view why) noexcept override {
    to_.mark_not_applicable(id, why);
  }
  void begin_request() noexcept override { to_.begin_request(); }

  bool is_on = true;
  std::int64_t writes = 0;

 private:
  telemetry::counter_writer& to_;
};

class no_records final : public trace::sink {
 public:
  result<void> contract(std::string_view) override { return {}; }
  result<void> facts(std::string_view) override { return {}; }
  result<void> records(std::span<const assay_record>) override { return {}; }
  result<void> snapshot(std::int64_t, std::span<const assay_reading>) override { return {}; }
  result<void> end() override { return {}; }
};

}  // namespace assay::test
