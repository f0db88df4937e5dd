// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Gate G2: operations whose answer is known beforehand must show in the records, once and whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "harness/audit/operation.h"
#include "probes/trace/assay_trace.h"

namespace assay::audit {

struct sentinel_evidence {
  std::uint64_t announced = 0;    ///< SENTINEL records
  std::uint64_t confirmed = 0;    ///< one operation showed exactly this answer
  std::uint64_t missing = 0;      ///< announced, and no operation shows it
  std::uint64_t surplus = 0;      ///< operations of range sentinel that nobody announced
  std::uint64_t mistimed = 0;     ///< a launch whose record is shorter than the time it counted
  std::uint64_t bad_content = 0;  ///< the bytes that arrived were not the bytes that were sent
};

/// Joins SENTINEL records with operations of range sentinel: a copy by direction and bytes, a
/// launch by its blocks, both within the announced span of time. Either may come first.
/// A record's extra[0] says what it announces: 2 a launch (amount: blocks, extra[1]: ns between its
/// first and its last block by its own clock reads), anything else a copy.
/// Memory: at most max_open of each side.
class sentinel_fold {
 public:
  static constexpr std::size_t max_open = 1024;

  void take_operation(const operation& op);
  void take_announcement(const assay_record& record);
  /// What is still open has no other half.
  void finish();
  const sentinel_evidence& findings() const { return findings_; }

 private:
  void confirm(const assay_record& announced, const operation& shown);

  sentinel_evidence findings_;
  std::vector<operation> shown_;
  std::vector<assay_record> announced_;
};

}  // namespace assay::audit
