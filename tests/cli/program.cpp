// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/cli/program.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <system_error>
#include <thread>

namespace assay::cli_test {
namespace {

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> all;
  for (std::string& word : words) all.push_back(word.data());
  all.push_back(nullptr);
  return all;
}

// The test's own environment without what would change the program's answers.
std::vector<std::string> environment_with(const std::vector<std::string>& added) {
  std::vector<std::string> all = added;
  for (char** each = environ; *each != nullptr; ++each) {
    const std::string_view word = *each;
    const bool is_ours = word.starts_with("ASSAY_") || word.starts_with("NO_COLOR=") ||
                         (word.starts_with("TMPDIR=") && !added.empty());
    if (!is_ours) all.emplace_back(word);
  }
  return all;
}

void add_output(posix_spawn_file_actions_t& files, int descriptor, const std::string& path) {
  if (path == "-")
    posix_spawn_file_actions_addclose(&files, descriptor);
  else
    posix_spawn_file_actions_addopen(&files, descriptor, path.c_str(), O_WRONLY | O_CREAT, 0600);
}

}  // namespace

scratch::scratch() {
  std::string name = (std::filesystem::temp_directory_path() / "assay-cli-test-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no scratch folder: " + name);
  path_ = name;
}

scratch::~scratch() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

program::program(const arguments& given, const surroundings& around) {
  std::vector<std::string> words{ASSAY_PROGRAM};
  words.insert(words.end(), given.begin(), given.end());
  std::vector<std::string> environment = environment_with(around.environment);
  const std::string out = around.stdout_path.empty() ? captured_ / "out" : around.stdout_path;
  const std::string err = around.stderr_path.empty() ? captured_ / "err" : around.stderr_path;
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  add_output(files, 1, out);
  add_output(files, 2, err);
  const int code = ::posix_spawn(&pid_, ASSAY_PROGRAM, &files, nullptr, pointers(words).data(),
                                 pointers(environment).data());
  posix_spawn_file_actions_destroy(&files);
  if (code != 0) throw std::system_error(code, std::generic_category(), ASSAY_PROGRAM);
}

program::~program() {
  if (is_over_) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

bool program::has_written(std::size_t bytes, const std::string& file) {
  const std::string watched = file.empty() ? captured_ / "out" : file;
  while (!is_over_) {
    std::error_code not_yet;
    const auto size = std::filesystem::file_size(watched, not_yet);
    if (!not_yet && size >= bytes) return true;
    is_over_ = ::waitpid(pid_, &status_, WNOHANG) == pid_;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return false;
}

ending program::wait() {
  if (!is_over_) ::waitpid(pid_, &status_, 0);
  is_over_ = true;
  const int code = WIFEXITED(status_) ? WEXITSTATUS(status_) : -WTERMSIG(status_);
  return {code, contents_of(captured_ / "out"), contents_of(captured_ / "err")};
}

ending run(const arguments& given, const surroundings& around) {
  return program(given, around).wait();
}

std::string contents_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

void write_file(const std::string& path, std::string_view bytes) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out.close();
  if (!out) throw std::runtime_error("cannot write " + path);
}

bool is_one_complaint(const std::string& err) {
  return err.starts_with("assay: ") && err.size() < 600 &&
         std::count(err.begin(), err.end(), '\n') == 1 && err.back() == '\n' &&
         err.find("internal error") == std::string::npos;
}

}  // namespace assay::cli_test
