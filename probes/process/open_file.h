// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// A file of /proc that stays open and is read again and again.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "runtime/telemetry/result.h"

namespace assay::probes {

/// Owns a file descriptor; reads the file from its start each time.
/// Threads: one at a time.
class open_file {
 public:
  /// Errors: unavailable, where the kernel offers no such file.
  static result<open_file> open(std::string path);
  ~open_file();
  open_file(open_file&& other) noexcept;
  open_file& operator=(open_file&& other) noexcept;

  /// The file's present text, as much as `buffer` holds.
  /// Errors: unavailable, where the file's subject is gone or says nothing.
  result<std::string_view> read(std::span<char> buffer) const;
  const std::string& path() const { return path_; }

 private:
  open_file(std::string path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}

  std::string path_;
  int descriptor_;
};

}  // namespace assay::probes
