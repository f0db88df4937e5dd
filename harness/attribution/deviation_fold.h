// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Counters over time: what each grew by, and how far that lies from what others said of the same
// window. Decides nothing, and shares no code with the audit, which does.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "harness/attribution/pass_fold.h"
#include "harness/attribution/stretch_row.h"
#include "probes/trace/assay_trace.h"
#include "probes/trace/contract_row.h"
#include "reports/model/investigation.h"

namespace assay::attribution {

/// Follows whole-numbered counters through snapshots, beside observations that are to be equal or
/// near, and in each pass beside the records of the work that they claim: bytes and numbers of
/// records; of a time the span of the work, or where the counter adds up brackets the length of its
/// records, which is a little less. A window without a snapshot, or a reading without a number, is
/// left out. Memory: 256 stretches a counter and reference.
class deviation_fold final : public activity_listener {
 public:
  static constexpr std::size_t max_depth = 16;
  static constexpr std::size_t max_waiting = 65'536;

  void watch(const std::vector<trace::contract_row>& contract);
  void take_window(const assay_record& record);
  void take_observation(const assay_record& record);
  void take_snapshot(std::span<const assay_reading> readings);
  /// Before the end of the window that it belongs to.
  void on_activity(const joined_activity& work) override;

  /// Counters that grew in some decode step, in the contract's order.
  std::vector<model::flow_line> flows() const;
  /// By the contract's order, then by source.
  std::vector<model::deviation_line> deviations() const;

 private:
  struct work_seen {
    std::int64_t records = 0;
    std::int64_t bytes = 0;
    std::int64_t weight_bytes = 0;
    std::int64_t kv_bytes = 0;
    std::int64_t busy_ns = 0;
    std::int64_t first_ns = 0;
    std::int64_t last_ns = 0;
  };
  struct counter {
    trace::claim_row claims;
    work_seen work;  // since the last window that ended with a snapshot
    std::string name;
    std::string unit;
    bool is_whole = false;
    bool is_cumulative = false;
    bool is_per_request = false;
    model::flow_line flow;
    stretch_row grew;
  };
  struct frame {
    std::uint8_t kind = 0;
    std::uint64_t index = 0;
    bool has_snapshot = false;
    std::vector<std::int64_t> base;
  };
  struct compared {
    model::deviation_line line;
    stretch_row stretches;
  };

  void close(const frame& window, std::int64_t end_ns);
  void settle(const assay_record& said, const frame& window, std::int64_t at_ns);
  void settle_work(std::size_t row, std::int64_t at_ns);
  struct party;
  void add(std::size_t row, const party& who, std::int64_t off, std::int64_t at_ns);
  const std::vector<std::size_t>& claimants(const joined_activity& work);
  bool has_number(std::size_t row) const;
  std::int64_t grown(std::size_t row, const std::vector<std::int64_t>& base) const;

  std::vector<counter> counters_;
  std::vector<assay_reading> latest_;
  std::vector<std::int64_t> base_;  // a row, where what it grows by counts from
  std::vector<frame> open_;
  std::vector<std::pair<std::size_t, assay_record>> waiting_;  // by depth
  std::map<std::tuple<std::uint32_t, std::uint8_t, std::uint8_t>, compared> compared_;
  std::map<std::tuple<std::uint8_t, std::uint8_t, std::uint16_t>, std::vector<std::size_t>>
      claimants_;  // by operation, direction, range
  bool has_origin_ = false;
  std::int64_t origin_ns_ = 0;
};

}  // namespace assay::attribution
