// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// A large set of memory that several threads read from one end to the other: what decoding a model
// does to the memory, without the model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "probes/link/link_variants.h"
#include "probes/link/measurement.h"
#include "runtime/telemetry/result.h"

namespace assay::probes {

/// small: 4 KiB, whatever the system's default; huge: 2 MiB where the system grants them.
enum class page_kind : std::uint8_t { small, huge };

std::string_view to_string(page_kind pages);

/// Threads: one measures at a time; it makes the others.
class stream_set {
 public:
  /// Maps and fills `bytes`, rounded up to whole pieces of 4 MiB.
  /// Errors: usage for 0 bytes; out_of_memory.
  static result<stream_set> create(std::uint64_t bytes, page_kind pages);

  /// Reads every byte once, by `threads` threads that take piece after piece. The span reaches from
  /// the first thread's first piece to the last one's end; making the threads lies outside.
  /// Errors: internal, where the sum of what was read is wrong: then not all of it was read.
  result<link_measurement> pass(const read_variant& by, std::uint32_t threads) const;

  std::uint64_t bytes() const { return piece_count_ * piece_bytes; }

 private:
  static constexpr std::size_t piece_bytes = std::size_t{4} << 20;

  struct unmap {
    std::size_t mapped_bytes;
    void operator()(std::byte* base) const;
  };

  std::unique_ptr<std::byte[], unmap> mapping_;
  std::byte* first_ = nullptr;  // aligned to a huge page
  std::size_t piece_count_ = 0;
  std::uint64_t sum_ = 0;
};

}  // namespace assay::probes
