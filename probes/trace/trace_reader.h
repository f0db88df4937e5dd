// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// A trace file, block by block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "probes/trace/assay_trace.h"
#include "runtime/telemetry/result.h"

namespace assay::trace {

/// One block whose frame and checksum are good.
struct block {
  std::uint32_t type = 0;  ///< assay_block_type, or one that this version does not know
  std::uint64_t sequence = 0;
  std::span<const std::byte> payload;  ///< valid until the reader's next call
};

/// Reads a trace and believes nothing in it. Everything up to the first flaw is good and given out;
/// there the stream ends, is_complete() is false and incompleteness() says where and why.
/// A block that comes out has a valid checksum, no gap before it, and a payload of the size that
/// its type demands; what the records mean is for the audit to judge. Errors: unusable_input, where
/// the file is missing, is not a trace or is of another version; io, where the system refused a
/// read. Memory: about 1.3 MiB, whatever the trace's length; from_memory only 8 KiB. Threads: one
/// at a time.
class trace_reader {
 public:
  /// Opens `path`, which may be a pipe, and checks the file header.
  static result<trace_reader> open(const std::string& path);
  /// Reads bytes that the caller keeps alive. `name` stands in messages.
  static result<trace_reader> from_memory(std::span<const std::byte> bytes,
                                          std::string name = "trace in memory");

  trace_reader(trace_reader&&) noexcept;
  trace_reader& operator=(trace_reader&&) noexcept;
  ~trace_reader();

  /// Gives the next block; false at the end of what is good, from then on for ever.
  result<bool> next(block& out);

  /// True once the END block was read and nothing lies behind it.
  bool is_complete() const;
  /// Why the trace is not complete: one sentence without the path; empty where it is complete.
  const std::string& incompleteness() const;
  const std::string& name() const;
  std::uint64_t block_count() const;  ///< given out so far, END included
  std::uint64_t good_bytes() const;   ///< from the file's begin to the end of the last good block

 private:
  struct state;
  explicit trace_reader(std::unique_ptr<state> s);
  static result<trace_reader> checked(std::unique_ptr<state> s);

  std::unique_ptr<state> state_;
};

}  // namespace assay::trace
