// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Looks at this program itself: runs every scenario, renders every form, flips every knob.
#pragma once

#include <filesystem>

#include "harness/cli/audited_run.h"
#include "harness/guard/project.h"
#include "runtime/telemetry/result.h"

namespace assay::cli {

/// Everything that harness/guard judges of this program. `source` is the project's folder.
/// Overhead: seconds. Threads: sets environment variables, so no other may run.
/// Errors: the runs' own; unusable_input, where `source` is not the project's folder.
result<guard::project_facts> look_at_project(const std::filesystem::path& source,
                                             const progress& tell);

/// The knobs' part of it alone: each flipped there and back.
std::vector<guard::knob_facts> flip_knobs();

}  // namespace assay::cli
