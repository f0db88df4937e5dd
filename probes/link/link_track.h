// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Memory of a given working set, over which transfers are measured and verified.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <vector>

#include "probes/link/link_variants.h"
#include "probes/link/measurement.h"
#include "runtime/telemetry/result.h"

namespace assay::probes {

/// Page-aligned bytes, all mapped.
class link_memory {
 public:
  /// Errors: out_of_memory.
  static result<link_memory> create(std::size_t bytes);
  std::byte* data() const { return bytes_.get(); }
  std::size_t size() const { return size_; }

 private:
  static constexpr std::align_val_t page{4096};
  struct release {
    void operator()(std::byte* what) const { ::operator delete[](what, page); }
  };
  std::unique_ptr<std::byte[], release> bytes_;
  std::size_t size_ = 0;
};

/// Reads a working set piece by piece, each measurement going on where the last one stopped: a set
/// larger than a cache is then never found in it.
/// Threads: one at a time.
class read_track {
 public:
  /// `working_set_bytes` is rounded up to whole blocks.
  static result<read_track> create(std::uint64_t working_set_bytes);

  /// Reads for at least `least_ns`.
  /// Errors: internal, where the sum of what was read is wrong: then not all of it was read.
  result<link_measurement> measure(const read_variant& by, std::int64_t least_ns);

 private:
  link_memory memory_;
  std::vector<std::uint64_t> sums_;  ///< by piece
  std::size_t next_piece_ = 0;
};

/// Copies a working set piece by piece into another of the same size, as read_track reads.
/// Threads: one at a time.
class copy_track {
 public:
  static result<copy_track> create(std::uint64_t working_set_bytes);

  /// Copies for at least `least_ns`, or 16 MiB of a larger set, then verifies each piece that was
  /// copied.
  /// Errors: internal, where a piece did not arrive whole.
  result<link_measurement> measure(const copy_variant& by, std::int64_t least_ns);

 private:
  std::size_t mark_source();
  result<void> verify(const copy_variant& by, std::size_t first_piece, std::size_t count) const;

  link_memory from_;
  link_memory to_;
  std::uint64_t mark_ = 0;
  std::size_t next_piece_ = 0;
};

}  // namespace assay::probes
