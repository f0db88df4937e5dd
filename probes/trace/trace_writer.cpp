// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/trace/trace_writer.h"

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include <fmt/format.h>

namespace assay::trace {
namespace {

const char* fix_of(int code) {
  switch (code) {
    case ENOSPC:
    case EDQUOT:
      return "free space there or name a path on another file system";
    case EFBIG:
      return "raise the limit on file sizes (ulimit -f) or make a shorter run";
    case EACCES:
    case EPERM:
    case EROFS:
      return "name a path that this user may write to";
    case ENOENT:
    case ENOTDIR:
      return "create its directory first or name another path";
    case EISDIR:
      return "name a file in it";
    case EMFILE:
    case ENFILE:
      return "raise the limit on open files (ulimit -n)";
    default:
      return "name a path on another file system";
  }
}

failure failed(const std::string& path, int code) {
  return ASSAY_FAIL(io, fmt::format("cannot write the trace {}: {}; {}", path,
                                    std::generic_category().message(code), fix_of(code)));
}

}  // namespace

void trace_writer::abandon::operator()(assay_trace_writer* writer) const {
  assay_trace_abandon(writer);  // says EBADF where end() closed it
  delete writer;
}

trace_writer::trace_writer(std::string path, std::unique_ptr<assay_trace_writer, abandon> writer)
    : path_(std::move(path)), writer_(std::move(writer)) {}

result<trace_writer> trace_writer::open(std::string path) {
  std::unique_ptr<assay_trace_writer, abandon> writer(new assay_trace_writer{});
  if (const int code = assay_trace_open(writer.get(), path.c_str()); code != 0)
    return failed(path, code);
  return trace_writer(std::move(path), std::move(writer));
}

result<void> trace_writer::outcome(int code) const {
  if (code == 0) [[likely]]
    return {};
  if (code == EINVAL)
    return ASSAY_FAIL(usage, fmt::format("the trace {} was given a piece larger than {} bytes; "
                                         "write fewer counters or shorter facts",
                                         path_, ASSAY_BLOCK_MAX_BYTES));
  if (code == EBADF)
    return ASSAY_FAIL(internal, fmt::format("the trace {} was written to after its end", path_));
  return failed(path_, code);
}

result<void> trace_writer::contract(std::string_view json) {
  return outcome(assay_trace_contract(writer_.get(), json.data(), json.size()));
}

result<void> trace_writer::facts(std::string_view json) {
  return outcome(assay_trace_facts(writer_.get(), json.data(), json.size()));
}

result<void> trace_writer::records(std::span<const assay_record> records) {
  record_count_ += records.size();
  return outcome(assay_trace_records(writer_.get(), records.data(), records.size()));
}

result<void> trace_writer::snapshot(std::int64_t at_ns, std::span<const assay_reading> readings) {
  // A count that 32 bits cannot hold is too large for a block too.
  const auto count =
      static_cast<std::uint32_t>(std::min<std::size_t>(readings.size(), ASSAY_BLOCK_MAX_BYTES));
  return outcome(assay_trace_snapshot(writer_.get(), at_ns, readings.data(), count));
}

result<void> trace_writer::flush() {
  return outcome(assay_trace_flush(writer_.get()));
}

result<void> trace_writer::end() {
  return outcome(assay_trace_close(writer_.get()));
}

}  // namespace assay::trace
