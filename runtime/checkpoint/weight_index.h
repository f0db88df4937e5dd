// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// model.safetensors.index.json: which file of a split checkpoint holds which tensor.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/checkpoint/safetensors.h"
#include "runtime/telemetry/result.h"

namespace assay::checkpoint {

struct weight_index {
  std::map<std::string, std::string, std::less<>> file_of_tensor;
  std::optional<std::uint64_t> total_bytes;  ///< of all tensors, where the index says so

  /// The files, each once, ascending.
  std::vector<std::string> files() const;
};

/// Parses an index. Pure; the fuzz target calls it.
/// Errors: unusable_input: not JSON, a tensor named twice, no tensor at all, a file that is no
/// plain name in the index's own folder, a total_size that is no whole number, a key of unknown
/// effect.
result<weight_index> parse_index(std::string_view text, const std::filesystem::path& file);

/// Holds one file of an index against it: what it has must be named as its own, and what is named
/// as its own must be there. `tensors` ascends by name, as safetensors_file has it.
/// Errors: unusable_input, naming the tensor.
result<void> check_shard(const weight_index& index, const std::filesystem::path& index_file,
                         const std::filesystem::path& shard,
                         const std::vector<tensor_view>& tensors);

}  // namespace assay::checkpoint
