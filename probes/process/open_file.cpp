// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/process/open_file.h"

#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

namespace assay::probes {

namespace {

// Paths lie in /proc and in /sys: the hint names neither.
const char* hint_of(int problem) {
  if (problem == EMFILE || problem == ENFILE)
    return "; raise the limit on open files (ulimit -n), or close some";
  if (problem == EACCES || problem == EPERM) return "; this process may not read it";
  return "; this kernel does not keep it, or hides it from a container or a virtual machine";
}

}  // namespace

result<open_file> open_file::open(std::string path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) {
    const int problem = errno;
    return ASSAY_FAIL(unavailable, path + ": " + std::strerror(problem) + hint_of(problem));
  }
  return open_file(std::move(path), descriptor);
}

open_file::~open_file() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

open_file::open_file(open_file&& other) noexcept
    : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

open_file& open_file::operator=(open_file&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

result<std::string_view> open_file::read(std::span<char> buffer) const {
  const auto count = ::pread(descriptor_, buffer.data(), buffer.size(), 0);
  if (count < 0)
    return ASSAY_FAIL(unavailable,
                      path_ + ": " + std::strerror(errno) + "; what it describes may have ended");
  if (count == 0) return ASSAY_FAIL(unavailable, path_ + ": empty; the kernel does not fill it");
  return std::string_view(buffer.data(), static_cast<std::size_t>(count));
}

}  // namespace assay::probes
