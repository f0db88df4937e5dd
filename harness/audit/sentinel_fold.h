// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Gate G2: operations whose answer is known beforehand must show in the records, once and whole.
#pragma once

#include <cstdint>

#include "harness/audit/operation.h"
#include "probes/trace/assay_trace.h"

namespace assay::audit {

struct sentinel_evidence {
  std::uint64_t announced = 0;    ///< SENTINEL records
  std::uint64_t confirmed = 0;    ///< their bytes showed exactly
  std::uint64_t missing = 0;      ///< fewer bytes, or none, showed
  std::uint64_t surplus = 0;      ///< more bytes showed: an operation counted twice, or a stray one
  std::uint64_t bad_content = 0;  ///< the bytes that arrived were not the bytes that were sent
};

/// Folds SENTINEL records and operations of range sentinel. A SENTINEL may stand before or after
/// its operations, the same way throughout a trace.
class sentinel_fold {
 public:
  void take_operation(const operation& op);
  /// The operations so far are joined.
  void take_announcement(const assay_record& record);
  void finish();
  const sentinel_evidence& findings() const { return findings_; }

 private:
  void settle(std::int64_t expected_bytes);

  sentinel_evidence findings_;
  std::int64_t shown_bytes_ = 0;  ///< since the last announcement
  bool is_ahead_ = false;         ///< an announcement waits for its operations
  std::int64_t expected_bytes_ = 0;
};

}  // namespace assay::audit
