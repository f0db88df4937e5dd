// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Joins submissions with activities by correlation id, whichever comes first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "harness/audit/completeness.h"
#include "harness/audit/operation.h"
#include "probes/trace/assay_trace.h"

namespace assay::audit {

/// Holds the operations since the last drain. Memory: bounded by capacity, whatever the trace.
/// A split copy becomes one operation, from its first part's start to its last part's end; a split
/// launch becomes one operation a kernel, and its call must come before them.
class correlation_matcher {
 public:
  /// Operations that may be open at once. A decode step has a few hundred; 2^18 are 25 MB.
  static constexpr std::size_t capacity = std::size_t{1} << 18;

  /// Takes a SUBMISSION that leaves activity (copy, launch, event).
  void submission(const assay_record& record);
  /// Takes an ACTIVITY; its times already lie on the host's clock.
  void activity(const assay_record& record, std::int64_t start_ns, std::int64_t end_ns);

  /// Replaces `done` by the joined operations in the order in which they came. With `is_final`,
  /// what is half joined counts as lost or orphaned, sentinels excepted: those wait for
  /// drain_sentinels, because their two halves may lie on both sides of a window's edge.
  void drain(bool is_final, std::vector<operation>& done);
  /// Ends the trace: what is half joined is lost, sentinels included.
  void finish(std::vector<operation>& done);

  bool is_full() const { return operations_.size() + kernels_.size() >= capacity; }
  std::size_t open() const { return operations_.size(); }
  const completeness& findings() const { return findings_; }
  completeness& findings() { return findings_; }

 private:
  struct bucket {
    std::uint32_t generation = 0;
    std::uint32_t index = 0;
  };

  operation* find(std::uint64_t correlation);
  operation& insert(std::uint64_t correlation);
  void place(std::uint64_t correlation, std::uint32_t index);
  void grow();
  void add_part(operation& copy, const assay_record& record, std::int64_t start_ns,
                std::int64_t end_ns);
  void add_hidden_copy(const operation& launch, const assay_record& record, std::int64_t start_ns,
                       std::int64_t end_ns);
  void add_kernel(operation& launch, const assay_record& record, std::int64_t start_ns,
                  std::int64_t end_ns);
  void judge(const operation& joined);
  void judge_launch(const operation& split);
  void give_up(const operation& half);
  void collect(bool is_final, bool with_sentinels, std::vector<operation>& done);

  std::vector<operation> operations_;
  std::vector<operation> kept_;
  std::vector<operation> kernels_;  ///< of split launches, since the last drain
  std::vector<bucket> slots_ = std::vector<bucket>(4096);
  std::uint32_t generation_ = 1;
  completeness findings_;
};

}  // namespace assay::audit
