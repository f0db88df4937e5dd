// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Who runs an operation: the seam at which an executor can be exchanged.
#pragma once

#include <cstdint>

#include "runtime/device/host_arena.h"
#include "runtime/device/host_pool.h"
#include "runtime/device/observer.h"
#include "runtime/device/operation.h"

namespace assay::device {

/// What a runner may use of the worker that calls it. A plain struct, so a runner can hand a copy
/// with another observer to the runner that it wraps.
struct worker_site {
  std::uint32_t stream = 0;
  std::uint32_t worker_tid = 0;
  std::int64_t spin_ns = 0;
  const host_arena* arena = nullptr;
  observer* reports_to = nullptr;  ///< null: nobody asks for activity records
  host_pool* pool = nullptr;       ///< whose threads take blocks of a launch beside the worker
  const kernel* ahead = nullptr;   ///< a launch queued behind this operation; null: none is known
};

/// Runs one operation and reports what it did.
/// Threads: every stream's worker calls it, all at once.
/// Errors: none; what can be refused was refused when the operation was submitted.
class operation_runner {
 public:
  virtual ~operation_runner() = default;
  /// Returns when the work is done and the observer has been told.
  virtual void run(const operation& what, const worker_site& site) = 0;
};

}  // namespace assay::device
