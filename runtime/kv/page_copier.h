// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Who copies pages for a store.
#pragma once

#include <cstdint>

#include "runtime/device/records.h"
#include "runtime/telemetry/result.h"

namespace assay::kv {

/// Copies run in the order in which they were submitted, and in order with everything else that
/// touches the pages: one stream carries it all. A page that is given back and taken again is
/// therefore never written by two at once.
/// Threads: one.
class page_copier {
 public:
  virtual ~page_copier() = default;

  /// Enqueues a copy and returns; a refused one moves nothing. Both ends must stay valid until
  /// wait().
  virtual result<void> copy(void* destination, const void* source, std::uint64_t bytes,
                            device::copy_direction direction) = 0;
  /// Waits for what was enqueued. Error: it may still be running.
  virtual result<void> wait() = 0;
};

}  // namespace assay::kv
