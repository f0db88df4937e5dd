// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What the knobs make of this machine's cores.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/telemetry/result.h"

namespace assay::cli {

/// Threads that run a launch's blocks: the knob's, or as many as this process may keep busy.
/// Errors: usage, where the knob holds no positive number.
result<std::uint32_t> host_threads();

/// Puts the knob's instruction set in force, or the best of this processor where that is lower.
/// Errors: usage, where the knob holds no number of one.
result<void> use_host_isa();

/// Of the registers that the operators' loops use.
std::size_t host_vector_bytes();

}  // namespace assay::cli
