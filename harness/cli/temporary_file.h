// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// A file that nobody asked to keep.
#pragma once

#include <string>

#include "runtime/telemetry/result.h"

namespace assay::cli {

/// An empty file of a name that no other process has, in the folder for temporary files; gone with
/// this object.
/// Errors: io, naming the folder and the fix.
class temporary_file {
 public:
  static result<temporary_file> create();
  temporary_file(temporary_file&& other) noexcept;
  temporary_file& operator=(temporary_file&&) = delete;
  ~temporary_file();

  const std::string& path() const { return path_; }

 private:
  explicit temporary_file(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

}  // namespace assay::cli
