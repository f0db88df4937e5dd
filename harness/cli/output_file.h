// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// A file that a verb will write, opened before anything is measured.
#pragma once

#include <string>
#include <string_view>

#include "runtime/telemetry/result.h"

namespace assay::cli {

/// An empty path stands for "not wanted"; every call then does nothing.
/// What is written lies beside the path, as PATH.partial, until it is whole: neither half of a
/// report nor the last run's may pass for it, however the run ends. A device, a pipe, and a file in
/// a folder where none can be made are written in place. One program at a time writes a path: a
/// file is never a mix of two. Errors: io, naming the path and the fix, also where another program
/// is writing it. A file that was not written whole is removed, also where the run failed before
/// there was a report.
class output_file {
 public:
  static result<output_file> open(std::string path);
  output_file(output_file&& other) noexcept;
  output_file& operator=(output_file&&) = delete;
  ~output_file();

  result<void> write(std::string_view text);
  /// For a text that comes in parts: the file is whole once finish() was called.
  result<void> append(std::string_view part);
  result<void> finish();
  bool is_wanted() const { return descriptor_ >= 0; }

 private:
  static result<output_file> open_in_place(std::string path);
  output_file(std::string path, std::string partial, int descriptor)
      : path_(std::move(path)), partial_(std::move(partial)), descriptor_(descriptor) {}
  std::string path_;
  std::string partial_;  ///< where it is written until it is whole; empty: in place
  int descriptor_ = -1;
  bool is_whole_ = false;
};

/// Takes a regular file away; a device stays.
void remove_regular(const std::string& path);

/// Whether writing one would overwrite the other. Devices are never the same file.
bool is_same_file(const std::string& one, const std::string& other);

/// Writes to stdout and makes sure that it arrived.
result<void> write_to_stdout(std::string_view text);

}  // namespace assay::cli
