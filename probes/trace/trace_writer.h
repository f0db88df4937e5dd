// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// A trace on its way into a file.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "probes/trace/assay_trace.h"
#include "probes/trace/sink.h"
#include "runtime/telemetry/result.h"

namespace assay::trace {

/// Writes a trace file through the C writer of assay_trace.h, so that the format has one author.
/// Pieces land in the file in the order of the calls. Without end() the file has no END block and
/// reads as cut off: a run that stopped early cannot pass for a whole one.
/// Errors: io, naming the path and the fix; usage, where a piece is larger than a block. The first
/// one sticks: each later call returns it.
/// Memory: 73 KiB, whatever the trace's length.
/// Threads: one at a time.
/// Overhead: docs/trace-format.md carries the measured ns a record and a step.
class trace_writer final : public sink {
 public:
  /// Creates or empties `path` and writes the file header, before anything is measured.
  static result<trace_writer> open(std::string path);

  result<void> contract(std::string_view json) override;
  result<void> facts(std::string_view json) override;
  result<void> records(std::span<const assay_record> records) override;
  result<void> snapshot(std::int64_t at_ns, std::span<const assay_reading> readings) override;
  result<void> end() override;

  /// Writes out what was given so far; without it that happens at full buffers, and at a snapshot
  /// a second after the last time.
  result<void> flush();

  const std::string& path() const { return path_; }
  std::uint64_t record_count() const { return record_count_; }

 private:
  // Closes a file that was not ended, and keeps what it was given.
  struct abandon {
    void operator()(assay_trace_writer* writer) const;
  };

  trace_writer(std::string path, std::unique_ptr<assay_trace_writer, abandon> writer);
  result<void> outcome(int code) const;

  std::string path_;
  std::unique_ptr<assay_trace_writer, abandon> writer_;
  std::uint64_t record_count_ = 0;
};

}  // namespace assay::trace
