// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// A Hugging Face checkpoint folder: config.json and the weights that it promises.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/checkpoint/model_config.h"
#include "runtime/checkpoint/weight_files.h"
#include "runtime/telemetry/result.h"

namespace assay::checkpoint {

/// A weight that an architecture needs, by the name and shape that Hugging Face gives it.
struct expected_tensor {
  std::string name;
  std::vector<std::uint64_t> shape;
};

/// Every tensor that a model of this config has, in execution order (embedding, layers, final norm,
/// head unless tied).
std::vector<expected_tensor> expected_tensors(const model_config& config);

/// Ownership: owns the mappings behind every view.
class checkpoint {
 public:
  /// Reads config.json, generation_config.json where present (its eos ids win where it names any,
  /// null included), and the weights, whole or split; checks that each expected tensor is there
  /// with its shape and a float type, and that no weight is NaN or infinite. Errors: unusable_input
  /// or io, one line that names file, field or tensor, and the fix.
  static result<checkpoint> open(const std::filesystem::path& folder);
  /// The same without a look at any value: for whoever reckons with names, shapes and types before
  /// the load, which opens the folder itself. A pass over all weights takes seconds of a large one.
  static result<checkpoint> open_unread(const std::filesystem::path& folder);

  const model_config& config() const { return config_; }
  const weight_files& weights() const { return weights_; }
  /// Tensors in the files that the architecture does not use, by name.
  const std::vector<std::string>& unused_tensors() const { return unused_; }
  /// What generation_config.json asks for and no run does, by key.
  const std::vector<std::string>& unapplied_keys() const { return unapplied_keys_; }
  const std::filesystem::path& folder() const { return folder_; }

 private:
  checkpoint(model_config config, weight_files weights, std::filesystem::path folder);
  static result<checkpoint> open(const std::filesystem::path& folder, bool reads_values);
  model_config config_;
  weight_files weights_;
  std::filesystem::path folder_;
  std::vector<std::string> unused_;
  std::vector<std::string> unapplied_keys_;
};

}  // namespace assay::checkpoint
