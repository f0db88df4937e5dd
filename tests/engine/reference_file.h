// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Reads what an independent implementation computed. Of its own, because the runtime's reader
// refuses the integer tensors that references hold, and a reader under test is no reference.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace assay::engine_test {

struct reference_tensor {
  std::vector<std::size_t> shape;
  std::vector<float> reals;         // F32
  std::vector<std::int32_t> whole;  // I32
};

/// The tensors of a reference.safetensors, by name. Throws where the file is not as expected.
class reference_file {
 public:
  explicit reference_file(const std::filesystem::path& file);
  const std::vector<float>& reals(const std::string& name) const;
  const std::vector<std::int32_t>& ids(const std::string& name) const;

 private:
  std::map<std::string, reference_tensor> tensors_;
};

}  // namespace assay::engine_test
