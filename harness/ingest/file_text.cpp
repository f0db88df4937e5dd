// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/ingest/file_text.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "harness/ingest/complaint.h"

namespace assay::ingest {
namespace {

constexpr off_t most_bytes = off_t{1} << 30;

}  // namespace

result<file_text> file_text::open(const std::string& path, std::string_view fix) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return refused(path, "", std::string("cannot be read: ") + std::strerror(errno), fix);
  struct stat found {};
  const bool is_known = ::fstat(fd, &found) == 0;
  void* data = nullptr;
  const bool is_usable = is_known && S_ISREG(found.st_mode) && found.st_size <= most_bytes;
  // A file of no bytes cannot be mapped, and need not be.
  if (is_usable && found.st_size > 0)
    data = ::mmap(nullptr, static_cast<std::size_t>(found.st_size), PROT_READ,
                  MAP_PRIVATE | MAP_POPULATE, fd, 0);
  const int why = errno;
  ::close(fd);
  if (!is_known || !S_ISREG(found.st_mode)) return refused(path, "", "is no regular file", fix);
  if (!is_usable)
    return refused(path, "", "is larger than 1,073,741,824 bytes", "give fewer rows at a time");
  if (data == MAP_FAILED)
    return refused(path, "", std::string("cannot be read: ") + std::strerror(why), fix);
  return file_text(static_cast<const char*>(data), static_cast<std::size_t>(found.st_size));
}

file_text::file_text(file_text&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

file_text::~file_text() {
  if (data_ != nullptr) ::munmap(const_cast<char*>(data_), size_);
}

}  // namespace assay::ingest
