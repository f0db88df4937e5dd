// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/checkpoint/file_stamp.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "runtime/checkpoint/complaint.h"

namespace assay::checkpoint {
namespace {

std::int64_t ns_of(const timespec& at) {
  return std::int64_t{at.tv_sec} * 1'000'000'000 + at.tv_nsec;
}

}  // namespace

result<file_stamp::state> file_stamp::state_of(const std::filesystem::path& path,
                                               const regular_file& file) {
  struct stat status {};
  if (::fstat(file.descriptor(), &status) != 0)
    return ASSAY_FAIL(
        io, complaint(path, "", fmt::format("cannot be looked at ({})", std::strerror(errno)),
                      "check its permissions"));
  return state{status.st_dev,  status.st_ino,         status.st_nlink,
               status.st_size, ns_of(status.st_mtim), ns_of(status.st_ctim)};
}

result<file_stamp> file_stamp::of(const std::filesystem::path& path) {
  ASSAY_TRY_ASSIGN(regular_file file, regular_file::open(path));
  ASSAY_TRY_ASSIGN(const state at_first, state_of(path, file));
  return file_stamp(path, std::move(file), at_first);
}

// A name more or less, and a new one, change a file's entry and none of its bytes.
bool file_stamp::is_named_as_before(const state& now) const {
  struct stat named {};
  return now.names_count == at_first_.names_count && ::stat(path_.c_str(), &named) == 0 &&
         named.st_dev == now.device && named.st_ino == now.inode;
}

result<void> file_stamp::check_unchanged() const {
  ASSAY_TRY_ASSIGN(const state now, state_of(path_, file_));
  const bool is_entry_alone =
      now.entry_changed_at_ns == at_first_.entry_changed_at_ns || !is_named_as_before(now);
  if (now.bytes == at_first_.bytes && now.written_at_ns == at_first_.written_at_ns &&
      is_entry_alone)
    return {};
  return ASSAY_FAIL(
      unusable_input,
      complaint(path_, "",
                fmt::format("was written to, or had its times or permissions set, while weights "
                            "were streamed from it ({} bytes, then {})",
                            at_first_.bytes, now.bytes),
                "load it again, and leave it alone meanwhile"));
}

}  // namespace assay::checkpoint
