// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What a device reports about the operations that it ran: to the host device what CUPTI's activity
// records are to a GPU.
#pragma once

#include <cstdint>

namespace assay::device {

/// Joins a submission with the activity that it caused. Dense, ascending from 1 in submission
/// order; 0 is never used.
using correlation_id = std::uint64_t;

/// A label that the caller opens around submissions. The device carries it unread.
using range_label = std::uint16_t;

enum class copy_direction : std::uint8_t { h2d, d2h, d2d };

enum class operation_kind : std::uint8_t { copy, launch, event_record, event_wait, synchronize };

/// What the caller asked for, stamped on the caller's thread around the call.
/// Clock: host (CLOCK_MONOTONIC).
struct submission_record {
  correlation_id correlation;
  operation_kind kind;
  copy_direction direction;  ///< copies only
  bool accepted;             ///< false: the call returned an error and nothing was enqueued
  std::uint32_t stream;
  range_label range;
  std::int64_t call_start_ns;
  std::int64_t call_end_ns;
  std::uint64_t asked_bytes;        ///< copies only: what the caller asked to move
  std::uint32_t asked_kernels = 0;  ///< launches only: kernels that one call enqueues; 0: one
  /// Waits for an event only: the submission of its newest recording, the one that is waited for.
  /// 0: it was never recorded, or the call was refused.
  correlation_id awaited = 0;
};

/// What a worker did. Bytes are counted by the worker chunk by chunk as it moves them, start and
/// end are its own clock reads around the work: nothing here comes from the submission except the
/// correlation id and the stream.
/// Clock: host (CLOCK_MONOTONIC), read on the worker.
struct activity_record {
  correlation_id correlation;
  operation_kind kind;       ///< copy, launch, or event_record
  copy_direction direction;  ///< copies only: from where the two addresses lie, not as asked
  std::uint32_t stream;
  std::uint32_t worker_tid;
  std::int64_t start_ns;
  std::int64_t end_ns;            ///< an event's own clock read lies between start and end
  std::uint64_t moved_bytes;      ///< copies only
  std::uint64_t executed_blocks;  ///< launches only: blocks that ran
  std::uint64_t weight_bytes;     ///< launches only: tallied by the kernel as it read
  std::uint64_t kv_bytes;         ///< launches only: tallied by the kernel as it read
};

/// An allocation or a free, stamped inside the allocator.
/// Clock: host (CLOCK_MONOTONIC).
struct memory_record {
  bool is_allocation;
  range_label range;
  std::uint64_t address;           ///< device address; names the buffer between its two records
  std::uint64_t bytes;             ///< as granted, alignment included
  std::int64_t at_ns;              ///< when it was done
  std::int64_t call_start_ns = 0;  ///< when it was asked for; 0: nobody stamped it
};

}  // namespace assay::device
