// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

namespace assay::cli {
namespace {

std::string refusal(const std::string& path) {
  return path + ": cannot be written: " + std::strerror(errno) +
         "; check the path, its permissions and the free space";
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

// Only a regular file is taken away; /dev/full must survive its own test.
void remove_regular(const std::string& path) {
  struct stat found {};
  if (stat(path.c_str(), &found) == 0 && S_ISREG(found.st_mode)) ::unlink(path.c_str());
}

}  // namespace

result<output_file> output_file::open(std::string path) {
  if (path.empty()) return output_file({}, -1);
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (descriptor < 0) return ASSAY_FAIL(io, refusal(path));
  return output_file(std::move(path), descriptor);
}

output_file::output_file(output_file&& other) noexcept
    : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

output_file::~output_file() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

result<void> output_file::write(std::string_view text) {
  if (descriptor_ < 0) return {};
  if (write_all(descriptor_, text)) return {};
  const std::string why = refusal(path_);
  remove_regular(path_);
  return ASSAY_FAIL(io, why);
}

result<void> write_to_stdout(std::string_view text) {
  std::fflush(stdout);
  if (write_all(STDOUT_FILENO, text)) return {};
  return ASSAY_FAIL(io, refusal("standard output"));
}

}  // namespace assay::cli
