// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Runs one row in short slices as it is asked to, so that two builds can take turns.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string_view>

#include "harness/bench/plausibility.h"
#include "runtime/telemetry/result.h"
#include "scenarios/kernels/kernel_row.h"

namespace assay::bench {

/// Answers each line of `in` until it ends. A slice is as many calls as fit the time asked for, by
/// the pace of the slice before; at least one.
/// Errors: usage for a line that is none; unavailable where a slice was faster than the machine can
/// be; the row's own.
/// Clock: host, read before the first call and after the last.
result<void> serve_slices(const scenarios::kernel_row& row,
                          const std::optional<core_ceiling>& of_a_core, std::istream& in,
                          std::ostream& out);

/// Calls that take about `wanted_ns` at a pace of `ns_a_call`. Pure.
std::uint64_t calls_for(std::int64_t wanted_ns, double ns_a_call);

/// The row of that name, with or without the "/real_time" that Google Benchmark lists it with.
/// Null where there is none.
const scenarios::kernel_row* find_row(const scenarios::kernel_list& list, std::string_view name);

}  // namespace assay::bench
