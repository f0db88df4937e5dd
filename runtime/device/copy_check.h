// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What a copy must satisfy before it is enqueued.
#pragma once

#include <cstdint>

#include "runtime/device/host_arena.h"
#include "runtime/device/records.h"
#include "runtime/telemetry/result.h"

namespace assay::device {

/// Do the two ends lie where the direction says, whole, and apart from each other?
/// Errors: usage, naming the end that does not.
result<void> check_copy(const host_arena& arena, const void* destination, const void* source,
                        std::uint64_t bytes, copy_direction direction);

}  // namespace assay::device
