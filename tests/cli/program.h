// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The real program, run as a caller runs it: a process with arguments, an environment and three
// descriptors, judged by what it leaves behind.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace assay::cli_test {

using arguments = std::vector<std::string>;

/// What a run left behind.
struct ending {
  int exit_code = -1;  ///< minus the signal, where one ended it
  std::string out;
  std::string err;
};

struct surroundings {
  std::vector<std::string> environment;  ///< NAME=value, added to the test's own
  std::string stdout_path;               ///< instead of capturing; "-" closes it
  std::string stderr_path = {};          ///< the same
};

/// A folder of its own that is gone at the end of the test.
class scratch {
 public:
  scratch();
  scratch(const scratch&) = delete;
  scratch& operator=(const scratch&) = delete;
  ~scratch();
  std::string operator/(std::string_view name) const { return (path_ / name).string(); }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// A run in progress.
class program {
 public:
  explicit program(const arguments& given, const surroundings& around = {});
  program(const program&) = delete;
  program& operator=(const program&) = delete;
  ~program();

  pid_t pid() const { return pid_; }
  /// Waits until stdout or `file` holds that many bytes; false where the program ended before.
  bool has_written(std::size_t bytes, const std::string& file = {});
  ending wait();

 private:
  scratch captured_;
  pid_t pid_ = -1;
  bool is_over_ = false;
  int status_ = 0;
};

ending run(const arguments& given, const surroundings& around = {});

std::string contents_of(const std::string& path);
void write_file(const std::string& path, std::string_view bytes);

/// One line on stderr, "assay: …", no "internal error", and nothing else there.
bool is_one_complaint(const std::string& err);

}  // namespace assay::cli_test
