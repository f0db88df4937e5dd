// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/checkpoint/regular_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "runtime/checkpoint/complaint.h"

namespace assay::checkpoint {
namespace {

constexpr const char* give_folder = "give a folder that holds config.json and model.safetensors";

error refusal_of_open(const std::filesystem::path& file, int code) {
  if (code == ENOENT || code == ENOTDIR)
    return {error_kind::unusable_input, complaint(file, "", "is missing", give_folder), __FILE__,
            __LINE__};
  return {error_kind::io,
          complaint(file, "", fmt::format("cannot be opened ({})", std::strerror(code)),
                    "check its permissions"),
          __FILE__, __LINE__};
}

}  // namespace

result<regular_file> regular_file::open(const std::filesystem::path& file) {
  // Without O_NONBLOCK, opening a FIFO waits for a writer that may never come.
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return failure(refusal_of_open(file, errno));
  regular_file opened(descriptor, 0);
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) return failure(refusal_of_open(file, errno));
  if (!S_ISREG(status.st_mode))
    return ASSAY_FAIL(unusable_input, complaint(file, "", "is not a regular file", give_folder));
  opened.file_bytes_ = static_cast<std::uint64_t>(status.st_size);
  return opened;
}

regular_file::regular_file(regular_file&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), file_bytes_(other.file_bytes_) {}

regular_file::~regular_file() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

result<std::string> read_text(const std::filesystem::path& file, std::uint64_t limit_bytes) {
  ASSAY_TRY_ASSIGN(const regular_file opened, regular_file::open(file));
  if (opened.file_bytes() > limit_bytes)
    return ASSAY_FAIL(unusable_input,
                      complaint(file, "",
                                fmt::format("has {} bytes, more than the {} that are read",
                                            opened.file_bytes(), limit_bytes),
                                "replace it by the file that transformers wrote"));
  std::string text(opened.file_bytes(), '\0');
  std::size_t filled_bytes = 0;
  while (filled_bytes < text.size()) {
    const ssize_t got_bytes =
        ::read(opened.descriptor(), text.data() + filled_bytes, text.size() - filled_bytes);
    if (got_bytes < 0 && errno == EINTR) continue;
    if (got_bytes < 0)
      return ASSAY_FAIL(
          io, complaint(file, "", fmt::format("cannot be read ({})", std::strerror(errno)),
                        "check the disk"));
    if (got_bytes == 0) break;  // cut since fstat; the parser says what is missing
    filled_bytes += static_cast<std::size_t>(got_bytes);
  }
  text.resize(filled_bytes);
  return text;
}

}  // namespace assay::checkpoint
