// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Builds checkpoints small enough to be broken in one place at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "runtime/checkpoint/model_config.h"
#include "runtime/telemetry/result.h"

namespace assay::checkpoint::test {

/// Ownership: removes the folder with all that is in it.
class temporary_folder {
 public:
  temporary_folder();
  ~temporary_folder();
  temporary_folder(const temporary_folder&) = delete;
  temporary_folder& operator=(const temporary_folder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

void write_file(const std::filesystem::path& file, std::string_view bytes);
std::string read_file(const std::filesystem::path& file);

/// A tensor to be written: dtype as the format spells it, bytes as they stand in the file.
struct stored_tensor {
  std::string name;
  std::string dtype;
  std::vector<std::uint64_t> shape;
  std::string bytes;
};

/// The header that the tensors have when they follow each other without gaps.
nlohmann::json header_for(const std::vector<stored_tensor>& tensors);
std::string payload_of(const std::vector<stored_tensor>& tensors);
/// The whole file: length, header, payload.
std::string safetensors_bytes(std::string_view header, std::string_view payload);
std::string safetensors_bytes(const std::vector<stored_tensor>& tensors);

/// A Qwen3 of one layer with 6 rows, hidden 4, inner 10, 2 heads of 8 over 1: no two dimensions
/// that could be confused are equal. Written by hand, not by expected_tensors.
nlohmann::json small_config();
/// Its 13 tensors in F32, head tied, each element a different small number.
std::vector<stored_tensor> small_tensors();
stored_tensor& tensor_named(std::vector<stored_tensor>& tensors, std::string_view name);
void write_checkpoint(const std::filesystem::path& folder, const nlohmann::json& config,
                      const std::vector<stored_tensor>& tensors);

/// What errors call the text that parse() is given.
inline const std::filesystem::path config_file = "some/config.json";
result<model_config> parse(const nlohmann::json& config);

/// Fails unless the error is of this kind and one line `…file: field: …fault…; fix`.
void expect_complaint(const error& failed, error_kind kind, std::string_view file,
                      std::string_view field, std::string_view fault);

}  // namespace assay::checkpoint::test
