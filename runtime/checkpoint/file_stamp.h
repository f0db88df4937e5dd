// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Has a file that stays mapped been written to since?
#pragma once

#include <cstdint>
#include <filesystem>

#include "runtime/checkpoint/regular_file.h"
#include "runtime/telemetry/result.h"

namespace assay::checkpoint {

/// What the file system says of a file at one moment: its length, and when it was last written to.
/// Ownership: keeps the file open, so that it is the one that is asked about, whatever its name
/// leads to by then.
class file_stamp {
 public:
  /// Errors: io, and as regular_file::open.
  static result<file_stamp> of(const std::filesystem::path& file);

  /// Asks again. A file of that name that is another one by now is no harm: the mapping keeps the
  /// one that it was made of. Errors: unusable_input, where the file is shorter, longer or was
  /// written to: weights that are still read from it are no longer those that were checked. Who
  /// sets the time of the last write back has changed the file's entry, and is told so; what a new
  /// name or a deletion changes there is not. One that is cut between this look and the read faults
  /// (SIGBUS).
  /// Overhead: two system calls.
  result<void> check_unchanged() const;

 private:
  struct state {
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
    std::uint64_t names_count = 0;
    std::int64_t bytes = 0;
    std::int64_t written_at_ns = 0;
    std::int64_t entry_changed_at_ns = 0;
  };
  file_stamp(std::filesystem::path path, regular_file file, state at_first)
      : path_(std::move(path)), file_(std::move(file)), at_first_(at_first) {}
  static result<state> state_of(const std::filesystem::path& path, const regular_file& file);
  bool is_named_as_before(const state& now) const;

  std::filesystem::path path_;
  regular_file file_;
  state at_first_;
};

}  // namespace assay::checkpoint
