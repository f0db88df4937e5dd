// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Programs that a run starts again and again, and libraries that they bring along: the same ones
// from its first process to its last.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/telemetry/result.h"

namespace assay::cli {

/// The bytes of a file, as one number; read, not mapped, so that one may be cut meanwhile.
struct file_digest {
  std::uint64_t value = 0;  ///< FNV-1a
  std::uint64_t size_bytes = 0;

  std::string words() const;
  friend bool operator==(const file_digest&, const file_digest&) = default;
};

/// Errors: unusable_input, where it cannot be read.
result<file_digest> digest_of(const std::string& path);

/// What lay at each path when it was named. A build that writes over a program while it is measured
/// would make two programs of one side.
/// Overhead: a stat a file a check, some µs; its bytes are read where that differs. Threads: one at
/// a time.
class measured_files {
 public:
  /// Errors: unusable_input, where it cannot be read.
  result<file_digest> watch(const std::string& path);

  /// The programs that a shell line names by a path: executable files with a slash in their name.
  /// What it reaches otherwise is not known here. Their paths.
  result<std::vector<std::string>> watch_programs_of(const std::string& shell_line);

  /// Once each, however many programs load it.
  result<void> watch_library(const std::string& path);

  /// "2 programs and 1 library: /opt/x/libx.so"
  std::string words() const;

  /// Errors: unavailable, naming the file and the fix, where other bytes lie there, or none. The
  /// same bytes under another inode or time are the same program.
  result<void> check();

  /// The same, and reads every file: a clock that stood still hides no change.
  result<void> check_bytes();

 private:
  // Whatever the system changes where a file is written to, renamed or put in another's place.
  struct place {
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
    std::int64_t size_bytes = 0;
    std::int64_t written_ns = 0;
    std::int64_t changed_ns = 0;

    friend bool operator==(const place&, const place&) = default;
  };
  struct watched {
    std::string path;
    place last;
    file_digest digest;
    bool is_library = false;
  };

  static bool find(const std::string& path, place& found);
  static result<void> compare(watched& each);

  std::vector<watched> files_;
};

}  // namespace assay::cli
