// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Where counters live while a process runs.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string_view>

#include "runtime/telemetry/counter_writer.h"
#include "runtime/telemetry/reading.h"

namespace assay::telemetry {

/// Every counter's present value, as readings.
using snapshot = std::array<reading, counter_total>;

/// Holds one slot a counter. An object, not a global: two runs in one process do not share.
/// Threads: all members may be called from any thread. A snapshot is not a cut through time across
/// counters; callers take it where the device is synchronised.
/// Overhead: docs/methodology.md carries the measured ns a write.
class registry final : public counter_writer {
 public:
  void add(counter_id id, std::int64_t amount) noexcept override;
  void set(counter_id id, std::int64_t value) noexcept override;
  void set_real(counter_id id, double value) noexcept override;
  void raise(counter_id id, std::int64_t value) noexcept override;
  void mark_not_applicable(counter_id id, std::string_view reason) noexcept override;
  void begin_request() noexcept override;

  reading read(counter_id id) const noexcept;
  snapshot read_all() const noexcept;

 private:
  // One cache line a counter: two threads that write two counters do not wait for each other.
  struct alignas(64) slot {
    std::atomic<std::int64_t> bits{0};
    std::atomic<bool> written{false};
    std::atomic<bool> is_marked{false};
    std::atomic<const char*> reason{nullptr};
    std::atomic<std::size_t> reason_size{0};
  };
  static_assert(std::atomic<std::int64_t>::is_always_lock_free);

  slot& at(counter_id id) noexcept { return slots_[static_cast<std::size_t>(id)]; }
  const slot& at(counter_id id) const noexcept { return slots_[static_cast<std::size_t>(id)]; }

  std::array<slot, counter_total> slots_;
};

}  // namespace assay::telemetry
