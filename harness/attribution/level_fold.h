// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Levels over time: residency, KV, memory, as the runtime published them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "harness/attribution/stretch_row.h"
#include "probes/trace/assay_trace.h"
#include "probes/trace/contract_row.h"
#include "reports/model/investigation.h"

namespace assay::attribution {

/// Follows each whole-numbered gauge and peak of a contract through the snapshots. Thins out by
/// halves: no stretch ever loses its least or its most. Memory: max_stretches a level.
class level_fold {
 public:
  static constexpr std::size_t max_stretches = stretch_row::max_stretches;

  void watch(const std::vector<trace::contract_row>& contract);
  void take(std::int64_t at_ns, std::span<const assay_reading> readings);
  /// Those that were measured at least once, in the contract's order.
  std::vector<model::level_line> lines() const;

 private:
  struct level {
    std::size_t row = 0;
    stretch_row stretches;
    model::level_line line;
  };
  static void add(level& to, std::int64_t at_ns, std::int64_t value);

  std::vector<level> levels_;
  bool has_origin_ = false;
  std::int64_t origin_ns_ = 0;
};

}  // namespace assay::attribution
