// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// A fixture of random weights with the smallest tokenizer that it can be decoded with: one token
// for each byte.
#pragma once

#include <string>
#include <string_view>

#include "tests/cli/program.h"

namespace assay::cli_test {

class byte_checkpoint {
 public:
  /// `fixture` is a folder of tests/fixtures/tiny; its files are links here.
  explicit byte_checkpoint(const std::string& fixture);

  std::string folder() const { return folder_.path().string(); }
  std::string file(std::string_view name) const { return folder_ / name; }

 private:
  scratch folder_;
};

}  // namespace assay::cli_test
