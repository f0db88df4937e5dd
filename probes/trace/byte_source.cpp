// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/trace/byte_source.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "runtime/telemetry/check.h"

namespace assay::trace {
namespace {

// One read: larger than a block of our writer, small enough that its bytes are still in the
// second-level cache when the checksum and the audit look at them.
constexpr std::size_t read_bytes = std::size_t{256} << 10;

std::string reason_of(int code) {
  return std::generic_category().message(code);
}

}  // namespace

result<byte_source> byte_source::open(const std::string& path, std::size_t limit_bytes) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return ASSAY_FAIL(unusable_input, fmt::format("cannot open {}: {}; name a trace that this user "
                                                  "may read",
                                                  path, reason_of(errno)));
  byte_source source;
  source.path_ = path;
  source.fd_ = fd;
  source.is_at_end_ = false;
  source.capacity_bytes_ = limit_bytes + read_bytes;
  source.buffer_.reset(new std::byte[source.capacity_bytes_]);
  return source;
}

byte_source byte_source::from_memory(std::span<const std::byte> bytes) {
  byte_source source;
  source.window_ = bytes;
  return source;
}

byte_source::byte_source(byte_source&& other) noexcept
    : path_(std::move(other.path_)),
      fd_(std::exchange(other.fd_, -1)),
      is_at_end_(other.is_at_end_),
      capacity_bytes_(other.capacity_bytes_),
      buffer_(std::move(other.buffer_)),
      window_(std::exchange(other.window_, {})),
      offset_bytes_(other.offset_bytes_) {}

byte_source::~byte_source() {
  if (fd_ >= 0) ::close(fd_);
}

result<std::span<const std::byte>> byte_source::peek(std::size_t wanted_bytes) {
  if (window_.size() < wanted_bytes && !is_at_end_) ASSAY_TRY(refill(wanted_bytes));
  return window_;
}

void byte_source::consume(std::size_t bytes) {
  ASSAY_CHECK(bytes <= window_.size(), "consumed more than was shown");
  window_ = window_.subspan(bytes);
  offset_bytes_ += bytes;
}

result<void> byte_source::refill(std::size_t wanted_bytes) {
  std::size_t held = window_.size();
  ASSAY_CHECK(wanted_bytes + read_bytes <= capacity_bytes_, "asked for too much at once");
  if (held > 0) std::memmove(buffer_.get(), window_.data(), held);
  while (held < wanted_bytes && !is_at_end_) {
    const std::size_t asked = std::max(read_bytes, wanted_bytes - held);
    const ssize_t got = ::read(fd_, buffer_.get() + held, std::min(asked, capacity_bytes_ - held));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EISDIR)
      return ASSAY_FAIL(unusable_input,
                        fmt::format("{} is a directory; name a trace file in it", path_));
    if (got < 0)
      return ASSAY_FAIL(io, fmt::format("cannot read {}: {}; copy it to another disk and try again",
                                        path_, reason_of(errno)));
    is_at_end_ = got == 0;
    held += static_cast<std::size_t>(got);
  }
  window_ = {buffer_.get(), held};
  return {};
}

}  // namespace assay::trace
