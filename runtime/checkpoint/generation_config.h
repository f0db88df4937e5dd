// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What generation_config.json asks for that no run of this program does.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "runtime/telemetry/result.h"

namespace assay::checkpoint {

/// Keys of the folder's generation_config.json that change which ids are chosen and have another
/// value than the one that changes nothing; none where there is no such file. Ids are chosen by the
/// caller's flags alone, so a program that heeds the file writes another text.
/// Errors: unusable_input or io, for a file that is there and holds no JSON object.
result<std::vector<std::string>> unapplied_generation_keys(const std::filesystem::path& folder);

}  // namespace assay::checkpoint
