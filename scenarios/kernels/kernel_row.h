// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// One operator of the runtime with one set of operands, as something that can be timed.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "runtime/telemetry/result.h"

namespace assay::scenarios {

/// What one call moves and computes, from the shapes alone. The operator does not see it.
struct declared_work {
  std::uint64_t weight_bytes = 0;      ///< operands in a checkpoint's type, each read once
  std::uint64_t activation_bytes = 0;  ///< f32 operands read and results written, each once
  std::uint64_t operations = 0;        ///< additions, products, comparisons; 0 where it only moves

  std::uint64_t bytes() const { return weight_bytes + activation_bytes; }
};

/// Operands, made once and outside of what is timed.
/// Threads: one calls; the operator may use more of its own.
class kernel_run {
 public:
  virtual ~kernel_run() = default;
  /// Calls the operator that often and does nothing else.
  virtual void call(std::uint64_t times) = 0;
  /// Weight bytes that the operator tallied itself in one more call, and threads that took part in
  /// the widest of up to 16 more: both by calls of their own, so that no timed call carries a
  /// probe.
  virtual std::uint64_t tallied_weight_bytes() = 0;
  virtual std::uint32_t realised_threads() = 0;
};

/// One registration. `name` is what a benchmark is called; rows of one `family` differ by their
/// amount of work alone, so that more work must take longer.
struct kernel_row {
  std::string name;
  std::string family;
  declared_work work;
  std::uint32_t asked_threads = 1;
  /// Errors: out_of_memory and those of the device.
  std::function<result<std::unique_ptr<kernel_run>>()> make;
};

/// A row that this machine cannot run as it is named.
struct skipped_row {
  std::string name;
  std::string reason;
};

struct kernel_list {
  std::vector<kernel_row> rows;
  std::vector<skipped_row> skipped;
};

}  // namespace assay::scenarios
