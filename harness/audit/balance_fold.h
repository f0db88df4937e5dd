// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Equations of the contract, tried at the end of each window.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/audit/claim_book.h"
#include "harness/audit/window_tracker.h"
#include "probes/trace/identity.h"

namespace assay::audit {

/// One equation, and how often it held.
struct balance_evidence {
  std::string words;              ///< as the contract has it
  std::vector<std::size_t> rows;  ///< of its terms, in their order
  std::uint64_t evaluated = 0;
  std::uint64_t broken = 0;
  window_name first;  ///< window in which it was broken first
  std::int64_t left = 0;
  std::int64_t right = 0;
};

class balance_fold {
 public:
  /// Takes each equation once, on however many counters it stands.
  explicit balance_fold(const std::vector<counter_spec>& specs);

  /// A window ends; what each counter gained in it counts from the book's baseline.
  void close(const window_name& window, const claim_book& claims);

  const std::vector<balance_evidence>& findings() const { return findings_; }

 private:
  struct balance {
    trace::identity equation;
    /// Counts that start anew at different times have no common reading, only common gains.
    bool is_of_gains = false;
  };
  void add(const trace::identity& equation, const std::string& words,
           const std::vector<counter_spec>& specs);

  std::vector<balance> balances_;
  std::vector<balance_evidence> findings_;
};

}  // namespace assay::audit
