// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The weights of a checkpoint, in one safetensors file or in several that an index names.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

#include "runtime/checkpoint/safetensors.h"
#include "runtime/telemetry/result.h"

namespace assay::checkpoint {

/// Ownership: owns the mappings; views are valid as long as the object lives, and stay so when it
/// is moved.
class weight_files {
 public:
  /// model.safetensors where it is there, else what model.safetensors.index.json names, each file
  /// mapped once. Errors: as safetensors_file::open and parse_index; unusable_input where a file of
  /// the index is missing, where index and files disagree on a tensor, or on the sum of their
  /// bytes.
  static result<weight_files> open(const std::filesystem::path& folder);

  /// Of all files, by name, ascending.
  const std::vector<tensor_view>& tensors() const { return tensors_; }
  const tensor_view* find(std::string_view name) const;
  /// The file that holds a tensor of this object; null is answered by the file that should name it:
  /// the index, or the only file.
  std::filesystem::path file_of(const tensor_view* tensor) const;
  /// Sums over all files; the index is none of them.
  std::uint64_t file_bytes() const;
  std::uint64_t tensor_bytes() const;

 private:
  weight_files() = default;
  result<void> add(const std::filesystem::path& file);
  void collect();

  struct mapped_file {
    std::filesystem::path path;
    safetensors_file content;
  };
  std::filesystem::path listing_;
  std::vector<mapped_file> files_;
  std::vector<tensor_view> tensors_;
};

}  // namespace assay::checkpoint
