// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Reading a checkpoint's generation_config.json.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "runtime/telemetry/result.h"

namespace assay::checkpoint {

struct generation_config {
  /// The ids that end a generation where the file names them, none where it says null; absent where
  /// it leaves those of config.json.
  std::optional<std::vector<std::int32_t>> eos_token_ids;
  /// Keys that change which ids are chosen and have another value than the one that changes
  /// nothing. Ids are chosen by the caller's flags alone, so a program that heeds the file writes
  /// another text.
  std::vector<std::string> unapplied_keys;
};

/// Empty where there is no such file. Errors: unusable_input or io, one line that names file, key
/// and fix.
result<generation_config> read_generation_config(const std::filesystem::path& file,
                                                 std::uint32_t vocab_rows);

}  // namespace assay::checkpoint
