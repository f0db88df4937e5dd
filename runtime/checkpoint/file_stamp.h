// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Has a file that stays mapped been written to since?
#pragma once

#include <cstdint>
#include <filesystem>

#include "runtime/telemetry/result.h"

namespace assay::checkpoint {

/// What the file system says of a file at one moment: which one it is, its length, and when it was
/// last written to.
class file_stamp {
 public:
  /// Errors: io.
  static result<file_stamp> of(const std::filesystem::path& file);

  /// Asks again. A file of that name that is another one by now is no harm: the mapping keeps the
  /// one that it was made of. Errors: unusable_input, where the same file is shorter, longer or was
  /// written to: weights that are still read from it are no longer those that were checked. One
  /// that is cut between this look and the read faults (SIGBUS).
  /// Overhead: a system call.
  result<void> check_unchanged() const;

 private:
  std::filesystem::path file_;
  std::uint64_t device_ = 0;
  std::uint64_t inode_ = 0;
  std::int64_t bytes_ = 0;
  std::int64_t written_at_ns_ = 0;
};

}  // namespace assay::checkpoint
