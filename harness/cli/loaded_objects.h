// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Which shared libraries a program brings along.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/telemetry/result.h"

namespace assay::cli {

/// The paths in what glibc's loader prints where it is asked what it would load, each once; not
/// those below /usr/lib… and /lib…, which the system's own packages replace. Pure.
std::vector<std::string> objects_in(std::string_view trace);

/// What the loader would load for this program, as this process's environment has it. Nothing of
/// files that glibc's loader does not start: a script, a program without libraries. What a program
/// opens itself (dlopen) is not known here. Starts the loader, not the program. Errors: those of
/// run_process.
result<std::vector<std::string>> loaded_objects(const std::string& program, std::int64_t limit_ns,
                                                const std::function<bool()>& is_interrupted);

}  // namespace assay::cli
