// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/temporary_file.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

namespace assay::cli {
namespace {

failure refused(const std::string& where, const std::string& why) {
  return ASSAY_FAIL(io, where + ": no temporary file can be made: " + why +
                            "; set TMPDIR to a folder that this user may write to");
}

}  // namespace

result<temporary_file> temporary_file::create() {
  std::error_code code;
  const std::filesystem::path folder = std::filesystem::temp_directory_path(code);
  if (code) return refused("the folder for temporary files", code.message());
  std::string path = (folder / "assay-XXXXXX").string();
  const int descriptor = ::mkstemp(path.data());
  if (descriptor < 0) return refused(folder.string(), std::strerror(errno));
  ::close(descriptor);
  return temporary_file(std::move(path));
}

temporary_file::temporary_file(temporary_file&& other) noexcept
    : path_(std::exchange(other.path_, {})) {}

temporary_file::~temporary_file() {
  if (!path_.empty()) ::unlink(path_.c_str());
}

}  // namespace assay::cli
