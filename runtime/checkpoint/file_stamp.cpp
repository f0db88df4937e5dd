// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/checkpoint/file_stamp.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "runtime/checkpoint/complaint.h"

namespace assay::checkpoint {

result<file_stamp> file_stamp::of(const std::filesystem::path& file) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0)
    return ASSAY_FAIL(
        io, complaint(file, "", fmt::format("cannot be looked at ({})", std::strerror(errno)),
                      "check its permissions"));
  file_stamp stamp;
  stamp.file_ = file;
  stamp.device_ = status.st_dev;
  stamp.inode_ = status.st_ino;
  stamp.bytes_ = status.st_size;
  stamp.written_at_ns_ =
      std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec;
  return stamp;
}

result<void> file_stamp::check_unchanged() const {
  const auto now = of(file_);
  // Deleted or exchanged: the mapping still has the file that it was made of.
  if (!now || now->device_ != device_ || now->inode_ != inode_) return {};
  if (now->bytes_ == bytes_ && now->written_at_ns_ == written_at_ns_) return {};
  return ASSAY_FAIL(
      unusable_input,
      complaint(
          file_, "",
          fmt::format("was written to while weights were streamed from it ({} bytes, then {})",
                      bytes_, now->bytes_),
          "load it again, and leave it alone meanwhile"));
}

}  // namespace assay::checkpoint
