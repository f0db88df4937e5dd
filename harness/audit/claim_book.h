// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What each counter claims: readings, and the value from which a window's claim counts.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "harness/audit/counter_spec.h"
#include "harness/audit/number.h"
#include "probes/trace/assay_trace.h"

namespace assay::audit {

/// A counter's claim over a window.
struct claim_value {
  bool has_value = false;   ///< false: not applicable, lost, or a lower bound
  bool is_written = false;  ///< false: never written, which claims nothing happened
  number value;
};

/// Keeps the latest snapshot and the one before the current window.
class claim_book {
 public:
  explicit claim_book(const std::vector<counter_spec>* specs);

  /// False where the number of readings is not the contract's.
  bool take_snapshot(std::span<const assay_reading> readings);
  /// A request begins: what is reset per request counts from 0, whether or not the runtime
  /// remembers to reset it.
  void begin_request();
  /// The claims up to the latest snapshot have been compared.
  void advance();

  /// Since the last advance().
  claim_value since_advance(std::size_t row) const { return since(row, base_[row]); }
  /// Since a window's begin, whose baseline() was taken then.
  claim_value since_baseline(std::size_t row, const std::vector<std::int64_t>& baseline) const;
  const std::vector<std::int64_t>& baseline() const { return base_; }
  const assay_reading& latest(std::size_t row) const { return latest_[row]; }

 private:
  claim_value since(std::size_t row, std::int64_t base_bits) const;

  const std::vector<counter_spec>* specs_;
  std::vector<assay_reading> latest_;
  std::vector<std::int64_t> base_;  ///< bits
};

}  // namespace assay::audit
