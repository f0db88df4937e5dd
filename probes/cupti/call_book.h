// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Whose call a driver's record belongs to. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "probes/trace/assay_trace.h"

namespace assay::probes {

/// A call that was made under an id of ours, by the driver's record of both.
struct claimed_call {
  std::uint32_t driver_correlation = 0;
  std::uint64_t our_id = 0;
};

/// Joins the calls that a device told of with what the driver recorded.
/// A device's calls carry their correlation id as our id. What the harness enqueues past the
/// device, events of its own say, carries own_work_id and is left out with its work: whoever made
/// it tells of it. Streams: the driver numbers them otherwise than the device. The first work of a
/// device's stream says which is which; from then on a record of another driver's stream keeps its
/// own number, so that it contradicts its call. Threads: one.
class call_book {
 public:
  static constexpr std::uint64_t own_work_id = std::uint64_t{1} << 63;

  /// Replaces what is in `records`, which has the driver's correlation ids, by what a trace takes:
  /// `told`, then all activities; other records go first.
  /// A driver's SUBMISSION of a device's call is left out: the device told it, with its amount.
  /// Activities come sorted by their start. An event that a copy's call recorded is the device's
  /// own and is left out. Work of nobody's call keeps range 0 and a correlation that no call has.
  void join(std::span<const claimed_call> claims, std::span<const assay_record> told,
            std::vector<assay_record>& records);

  /// Activities that no call of ours explains, so far.
  std::uint64_t foreign_count() const { return foreign_count_; }

 private:
  struct known_call {
    std::uint8_t op = 0;
    std::uint16_t range = 0;
    std::uint32_t stream = 0;
  };
  bool is_own_work(const assay_record& record) const;
  bool is_inner_event(const assay_record& record) const;
  void rename(assay_record& record);
  std::uint32_t stream_of(std::uint32_t driver_stream, std::uint32_t told_stream);

  std::unordered_map<std::uint64_t, std::uint64_t> ids_;      ///< driver's correlation → our id
  std::unordered_map<std::uint64_t, known_call> calls_;       ///< our id → what the device told
  std::unordered_map<std::uint32_t, std::uint32_t> streams_;  ///< driver's stream → the device's
  std::uint64_t foreign_count_ = 0;
};

}  // namespace assay::probes
