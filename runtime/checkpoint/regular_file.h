// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// A regular file, opened for reading.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "runtime/telemetry/result.h"

namespace assay::checkpoint {

/// Ownership: owns the descriptor.
class regular_file {
 public:
  /// Errors: unusable_input where it is missing or no regular file; io where the operating system
  /// refuses.
  static result<regular_file> open(const std::filesystem::path& file);

  regular_file(regular_file&& other) noexcept;
  regular_file& operator=(regular_file&&) = delete;
  ~regular_file();

  int descriptor() const { return descriptor_; }
  /// At the time of opening. A mapping of a file that is cut afterwards faults (SIGBUS).
  std::uint64_t file_bytes() const { return file_bytes_; }

 private:
  regular_file(int descriptor, std::uint64_t file_bytes)
      : descriptor_(descriptor), file_bytes_(file_bytes) {}
  int descriptor_;
  std::uint64_t file_bytes_;
};

/// The whole of a small text file.
/// Errors: as regular_file::open; unusable_input where it is larger than `limit_bytes`.
result<std::string> read_text(const std::filesystem::path& file, std::uint64_t limit_bytes);

}  // namespace assay::checkpoint
