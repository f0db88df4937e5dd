// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Whether a checkpoint can be used at all, before a device or a trace is made for it.
#pragma once

#include <filesystem>

#include "runtime/telemetry/result.h"

namespace assay::cli {

/// Reads the folder as strictly as the engine will: the ledger reads the same files more trustingly
/// and before it, and would complain in worse words.
/// Errors: unusable_input or io, one line that names file, field and fix.
/// Overhead: one pass over the weights; they are in the page cache afterwards.
result<void> look_at_checkpoint(const std::filesystem::path& folder);

}  // namespace assay::cli
