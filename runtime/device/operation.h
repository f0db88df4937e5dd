// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// One operation in a stream's queue: all that the executor gets of a submission.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <variant>

#include "runtime/device/device.h"
#include "runtime/device/host_event.h"

namespace assay::device {

/// Neither the direction nor the range that the caller named is here: the executor finds the
/// direction from the addresses, and cannot see what a copy is for.
struct copy_work {
  std::byte* destination = nullptr;
  const std::byte* source = nullptr;
  std::uint64_t bytes = 0;
};

struct event_mark {
  event_slot* what = nullptr;
  std::uint64_t record = 0;  ///< number of this record of the event
};

struct event_gate {
  stream_point until;
};

/// Last operation of a stream: its worker ends.
struct stream_end {};

struct operation {
  correlation_id correlation = 0;
  std::variant<stream_end, copy_work, event_mark, event_gate, kernel> work;
};
// A queue's slot is overwritten in place; nothing in it may own memory.
static_assert(std::is_trivially_copyable_v<operation>);

}  // namespace assay::device
