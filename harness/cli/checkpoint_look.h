// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Whether a checkpoint can be used at all, before a device or a trace is made for it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "runtime/checkpoint/model_config.h"
#include "runtime/telemetry/result.h"

namespace assay::cli {

/// What a run's memory is reckoned from.
struct checkpoint_seen {
  checkpoint::model_config config;
  std::uint64_t resident_bytes = 0;           ///< of the weights, on a device
  std::vector<std::string> unused_tensors;    ///< by name
  std::vector<std::string> unapplied_keys{};  ///< of generation_config.json
};

/// Reads the folder as strictly as the engine will: the ledger reads the same files more trustingly
/// and before it, and would complain in worse words.
/// Errors: unusable_input or io, one line that names file, field and fix.
/// Overhead: one pass over the weights; they are in the page cache afterwards.
result<checkpoint_seen> look_at_checkpoint(const std::filesystem::path& folder);

/// One line that says which of the checkpoint's tensors no operator reads, empty where each is
/// read: a model that needs them writes another text than this run will.
std::string unused_tensors_note(const std::vector<std::string>& unused_tensors);

/// One line that says what generation_config.json asks for and no run does, empty where nothing.
std::string unapplied_keys_note(const std::vector<std::string>& unapplied_keys);

}  // namespace assay::cli
