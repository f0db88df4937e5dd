// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// How many cycles a second the core under this thread does.
#pragma once

#include "runtime/telemetry/result.h"

namespace assay::probes {

/// Times a chain of register additions, each of which needs the one before: one cycle each on every
/// x86-64 core. Neither operand is a constant, because some cores take additions of constants out
/// of the chain. An interruption makes the answer smaller, never larger, so the largest of several
/// reads is the closest; the clock of a core moves with load and heat, so reads are repeated.
/// Errors: unavailable on other machines than x86-64.
/// Overhead: 30 µs.
result<double> core_cycles_per_s();

}  // namespace assay::probes
