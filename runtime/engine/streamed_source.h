// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Where streamed weights stand while they wait for their operator.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "runtime/telemetry/result.h"

namespace assay::engine {

/// Host memory that streamed weights are copied from instead of the mapping of their files.
/// Threads: one. Ownership: its memory; nobody reads what it gave out once hold() is called again.
class streamed_source {
 public:
  using contents = std::span<const std::span<const std::byte>>;

  virtual ~streamed_source() = default;
  /// Keeps these, and gives up what it kept. An empty one is not kept, and has its number all the
  /// same. From a number on, kernels read them where they are kept; those before are only copied.
  /// Errors: out_of_memory, and nothing is kept then; its own.
  virtual result<void> hold(contents wanted, std::size_t first_read_by_kernels) = 0;
  /// Of the last hold, by its number.
  virtual std::span<const std::byte> content(std::size_t number) const = 0;
  /// Does a step read the files? Where not, nobody minds what becomes of them after the load.
  virtual bool reads_files() const = 0;
  /// What streamed weights stand in, for whoever reads a report.
  virtual std::string words() const = 0;
};

}  // namespace assay::engine
