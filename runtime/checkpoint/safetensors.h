// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// A safetensors file, memory-mapped: names, types, shapes and bytes of its tensors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/telemetry/result.h"

namespace assay::checkpoint {

enum class dtype : std::uint8_t { bf16, f16, f32 };

constexpr std::uint64_t bytes_of(dtype type) {
  return type == dtype::f32 ? 4 : 2;
}
std::string_view to_string(dtype type);

/// One tensor of a file. `bytes` points into the mapping, at any address: older writers did not
/// align the payload.
struct tensor_view {
  std::string name;
  dtype type = dtype::f32;
  std::vector<std::uint64_t> shape;
  std::span<const std::byte> bytes;
};

/// Where a header says that each tensor lies, before any byte of payload is looked at.
struct header_entry {
  std::string name;
  dtype type = dtype::f32;
  std::vector<std::uint64_t> shape;
  std::uint64_t begin = 0;  ///< offsets from the end of the header
  std::uint64_t end = 0;
};

/// Parses a header and checks it against the payload's size. Pure; the fuzz target calls it.
/// The entries come in the order of their bytes.
/// Errors: unusable_input: not JSON, unknown type, a span that overlaps another, lies outside of
/// the file, leaves a hole, or does not fit its shape.
result<std::vector<header_entry>> parse_header(std::string_view json, std::uint64_t payload_bytes,
                                               const std::filesystem::path& file);

/// Ownership: owns the mapping; views are valid as long as the object lives. The file must keep its
/// length meanwhile: reading what has been cut off faults (SIGBUS).
class safetensors_file {
 public:
  /// Errors: io where it cannot be opened or mapped; unusable_input where it is missing, truncated,
  /// its header is larger than 100 MB or the file, or parse_header objects.
  static result<safetensors_file> open(const std::filesystem::path& file);

  safetensors_file(safetensors_file&&) noexcept;
  safetensors_file& operator=(safetensors_file&&) noexcept;
  ~safetensors_file();

  /// By name, ascending.
  const std::vector<tensor_view>& tensors() const { return tensors_; }
  const tensor_view* find(std::string_view name) const;
  std::uint64_t file_bytes() const { return mapping_.size(); }
  std::uint64_t tensor_bytes() const;

 private:
  safetensors_file() = default;
  std::span<const std::byte> mapping_;
  std::vector<tensor_view> tensors_;
};

}  // namespace assay::checkpoint
