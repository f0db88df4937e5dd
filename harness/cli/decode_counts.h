// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What a decode scenario counts, for a comparison that allows no difference.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "harness/cli/audited_run.h"
#include "runtime/telemetry/result.h"

namespace assay::cli {

/// Runs the scenario greedily on the host device, unobserved, and gives every counter that is no
/// time and no rate, and for each request how many tokens came and a number that stands for their
/// ids. A counter without a value is a row with the reason.
/// Errors: the runtime's own; interrupted.
result<std::string> decode_counts_as_json(const run_options& options);

/// A number for a list of ids: equal lists have equal numbers, others with a chance of 2^-53 only.
/// Whole, below 2^53.
double number_of_ids(std::span<const std::int32_t> ids);

}  // namespace assay::cli
