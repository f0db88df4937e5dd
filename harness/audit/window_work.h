// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What the device did since the last window ended, by cell.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "harness/audit/activity_cell.h"
#include "harness/audit/operation.h"

namespace assay::audit {

struct cell_work {
  std::int64_t operations = 0;
  std::int64_t bytes = 0;
  std::int64_t weight_bytes = 0;
  std::int64_t kv_bytes = 0;
  std::int64_t device_ns = 0;

  void add(const cell_work& other);
  /// What a claim's measure takes of it; 0 for measures that are not sums of device records.
  std::int64_t of(telemetry::measure measure) const;
};

struct call_work {
  std::int64_t calls = 0;
  std::int64_t sync_calls = 0;
};

class window_work {
 public:
  void take(const operation& op);
  /// An accepted submission of any kind.
  void take_call(std::uint8_t op, int slot);
  void clear();
  const std::array<cell_work, cell_total>& cells() const { return cells_; }

  /// What a claim's measure sums to; 0 for measures that are not sums of device records.
  std::int64_t sum(telemetry::measure measure, const std::vector<int>& cells) const;
  std::int64_t sum_calls(telemetry::measure measure, telemetry::range claimed) const;

 private:
  std::array<cell_work, cell_total> cells_{};
  std::array<call_work, range_slots> calls_{};
};

}  // namespace assay::audit
