// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/output_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

namespace assay::cli {
namespace {

std::string refusal(const std::string& path) {
  return path + ": cannot be written: " + std::strerror(errno) +
         "; check the path, its permissions and the free space";
}

// Where a file of that name will come to lie. A link that leads to nothing yet is followed: writing
// through it makes what it names.
std::filesystem::path landing_place(std::filesystem::path path) {
  namespace fs = std::filesystem;
  constexpr int most_links = 40;  // as the kernel's own
  std::error_code code;
  for (int i = 0; i < most_links && fs::is_symlink(fs::symlink_status(path, code)); ++i)
    path = path.parent_path() / fs::read_symlink(path, code);
  // The folder's path alone: while another program takes the file away and puts one there, a look
  // at the whole of it can fail, and an empty path would be what is written to.
  const fs::path whole = fs::absolute(path, code);
  return fs::weakly_canonical(whole.parent_path(), code) / whole.filename();
}

bool write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

constexpr int nobodys = -1;   // cannot be opened
constexpr int anothers = -2;  // another program is writing it

std::string taken(const std::string& path) {
  return path + ": another program is writing it now; wait for that one, or name another file";
}

// An empty file that no other program writes. Whoever held it before may have renamed or removed
// it between the opening and the lock: then this is another's report by now, and the next try
// makes a new one. Where a file system knows no locks, the file is as good as alone.
int open_locked(const std::string& path, mode_t mode) {
  for (;;) {
    const int opened = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, mode);
    if (opened < 0) return nobodys;
    if (::flock(opened, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
      ::close(opened);
      return anothers;
    }
    struct stat held {};
    struct stat named {};
    const bool is_named = ::fstat(opened, &held) == 0 && ::stat(path.c_str(), &named) == 0 &&
                          held.st_dev == named.st_dev && held.st_ino == named.st_ino;
    if (is_named && ::ftruncate(opened, 0) == 0) return opened;
    ::close(opened);
    if (is_named) return nobodys;
  }
}

}  // namespace

result<output_file> output_file::open_in_place(std::string path) {
  struct stat found {};
  if (::stat(path.c_str(), &found) == 0 && !S_ISREG(found.st_mode)) {
    const int opened = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (opened < 0) return ASSAY_FAIL(io, refusal(path));
    return output_file(std::move(path), {}, opened);
  }
  const int opened = open_locked(path, 0644);
  if (opened == nobodys) return ASSAY_FAIL(io, refusal(path));
  if (opened == anothers) return ASSAY_FAIL(io, taken(path));
  return output_file(std::move(path), {}, opened);
}

result<output_file> output_file::open(std::string path) {
  if (path.empty()) return output_file({}, {}, -1);
  struct stat found {};
  // What is there and no regular file has no place beside it; what is not there yet becomes one.
  const bool is_there = ::stat(path.c_str(), &found) == 0;
  if (is_there && !S_ISREG(found.st_mode)) return open_in_place(std::move(path));
  if (is_there && ::access(path.c_str(), W_OK) != 0) return ASSAY_FAIL(io, refusal(path));
  std::string landing = landing_place(path).string();
  std::string partial = landing + ".partial";
  const int beside = open_locked(partial, 0644);
  if (beside == nobodys) return open_in_place(std::move(path));
  if (beside == anothers) return ASSAY_FAIL(io, taken(path));
  // As the file that it will replace is.
  if (is_there) (void)::fchmod(beside, found.st_mode & 07777);
  remove_regular(landing);
  return output_file(std::move(landing), std::move(partial), beside);
}

output_file::output_file(output_file&& other) noexcept
    : path_(std::move(other.path_)),
      partial_(std::move(other.partial_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      is_whole_(other.is_whole_) {}

output_file::~output_file() {
  if (descriptor_ < 0) return;
  // Before the lock goes with the descriptor: after that the name may be another program's file.
  if (!is_whole_) remove_regular(partial_.empty() ? path_ : partial_);
  ::close(descriptor_);
}

result<void> output_file::write(std::string_view text) {
  ASSAY_TRY(append(text));
  return finish();
}

result<void> output_file::append(std::string_view part) {
  if (descriptor_ < 0 || write_all(descriptor_, part)) return {};
  return ASSAY_FAIL(io, refusal(path_));
}

result<void> output_file::finish() {
  if (descriptor_ < 0) return {};
  if (!partial_.empty() && ::rename(partial_.c_str(), path_.c_str()) != 0)
    return ASSAY_FAIL(io, refusal(path_));
  is_whole_ = true;
  return {};
}

void remove_regular(const std::string& path) {
  struct stat found {};
  if (stat(path.c_str(), &found) == 0 && S_ISREG(found.st_mode)) ::unlink(path.c_str());
}

bool is_same_file(const std::string& one, const std::string& other) {
  namespace fs = std::filesystem;
  if (one.empty() || other.empty()) return false;
  std::error_code code;
  if (fs::exists(one, code) && fs::exists(other, code))
    return fs::is_regular_file(one, code) && fs::equivalent(one, other, code);
  return landing_place(one) == landing_place(other);
}

result<void> write_to_stdout(std::string_view text) {
  std::fflush(stdout);
  if (write_all(STDOUT_FILENO, text)) return {};
  return ASSAY_FAIL(io, refusal("standard output"));
}

}  // namespace assay::cli
