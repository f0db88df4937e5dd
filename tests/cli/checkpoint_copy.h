// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// A copy of the embedded checkpoint to break.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "tests/cli/program.h"

namespace assay::cli_test {

class checkpoint_copy {
 public:
  /// config.json and tokenizer.json are copied; the weights are a link until they are edited.
  checkpoint_copy();

  std::string folder() const { return folder_.path().string(); }
  std::string file(std::string_view name) const { return folder_ / name; }

  using edit = std::function<void(nlohmann::json&)>;
  void edit_json(std::string_view name, const edit& change) const;
  /// Rewrites the header and its length; the payload stays.
  void edit_header(const edit& change) const;
  void edit_bytes(std::string_view name, const std::function<void(std::string&)>& change) const;
  void remove(std::string_view name) const;

 private:
  scratch folder_;
};

/// Little-endian, as safetensors writes the length of its header.
std::string eight_bytes(std::uint64_t value);
std::uint64_t header_length(std::string_view safetensors);

}  // namespace assay::cli_test
