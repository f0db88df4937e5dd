// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// A submission and the activity that it caused, joined by their correlation id.
#pragma once

#include <cstdint>

namespace assay::audit {

/// Times: ns; calls on the host's clock, start and end mapped onto it.
struct operation {
  std::uint64_t correlation = 0;
  std::uint32_t stream = 0;
  std::uint8_t op = 0;         ///< assay_op
  std::uint8_t direction = 0;  ///< assay_direction
  std::uint8_t slot = 0;       ///< range slot
  bool is_submitted = false;
  bool is_refused = false;
  bool is_run = false;
  bool is_mistimed = false;      ///< its times do not fit its call or its window: R17's, not G1's
  bool is_foreign = false;       ///< op, stream or direction differ between the two records
  bool is_programmatic = false;  ///< a launch that may begin before the kernel ahead of it ends
  bool is_split = false;         ///< shows as several activities: of a launch, one a kernel
  std::int64_t pieces = 0;       ///< activities so far, where it is split
  std::int64_t asked_bytes = 0;  ///< of a split launch: kernels, 0 where nobody said how many
  std::int64_t moved_bytes = 0;
  std::int64_t pageable_bytes = 0;  ///< of these, to or from memory that is not pinned
  std::int64_t call_start_ns = 0;
  std::int64_t call_end_ns = 0;
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::int64_t blocks = 0;  ///< that ran, launches only
  std::int64_t weight_bytes = 0;
  std::int64_t kv_bytes = 0;
};

}  // namespace assay::audit
