// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/measured_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <sstream>

#include <fmt/format.h>

#include "runtime/telemetry/fnv1a.h"

namespace assay::cli {
namespace {

std::int64_t ns_of(const timespec& time) {
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

failure unreadable(const std::string& path) {
  return ASSAY_FAIL(unusable_input,
                    fmt::format("{}: cannot be read: {}; name a program that can be measured", path,
                                std::strerror(errno)));
}

}  // namespace

std::string file_digest::words() const {
  return fmt::format("{:016x}, {} bytes", value, size_bytes);
}

result<file_digest> digest_of(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return unreadable(path);
  telemetry::fnv1a digest;
  file_digest found;
  std::array<char, 1 << 16> part;
  ssize_t got = 0;
  while ((got = ::read(fd, part.data(), part.size())) != 0) {
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) break;
    digest.take(std::string_view(part.data(), static_cast<std::size_t>(got)));
    found.size_bytes += static_cast<std::uint64_t>(got);
  }
  if (got < 0) {
    auto refusal = unreadable(path);
    ::close(fd);
    return refusal;
  }
  ::close(fd);
  found.value = digest.value();
  return found;
}

bool measured_files::find(const std::string& path, place& found) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return false;
  found = {info.st_dev, info.st_ino, info.st_size, ns_of(info.st_mtim), ns_of(info.st_ctim)};
  return true;
}

result<file_digest> measured_files::watch(const std::string& path) {
  // The place first: what is written after it shows as another place.
  watched fresh{path, {}, {}, false};
  if (!find(path, fresh.last)) return unreadable(path);
  ASSAY_TRY_ASSIGN(fresh.digest, digest_of(path));
  files_.push_back(fresh);
  return fresh.digest;
}

result<void> measured_files::watch_library(const std::string& path) {
  const bool is_known = std::any_of(files_.begin(), files_.end(),
                                    [&](const watched& each) { return each.path == path; });
  if (is_known) return {};
  ASSAY_TRY(watch(path));
  files_.back().is_library = true;
  return {};
}

std::string measured_files::words() const {
  std::size_t libraries = 0;
  std::string names;
  for (const watched& each : files_) {
    if (!each.is_library) continue;
    ++libraries;
    names += (names.empty() ? ": " : ", ") + each.path;
  }
  const auto counted = [](std::size_t count, const char* one, const char* many) {
    return fmt::format("{} {}", count, count == 1 ? one : many);
  };
  return counted(files_.size() - libraries, "program", "programs") + " and " +
         counted(libraries, "library", "libraries") + names;
}

result<std::vector<std::string>> measured_files::watch_programs_of(const std::string& shell_line) {
  std::vector<std::string> programs;
  std::istringstream words(shell_line);
  for (std::string word; words >> word;) {
    struct stat info {};
    const bool is_program = word.find('/') != std::string::npos &&
                            ::stat(word.c_str(), &info) == 0 && S_ISREG(info.st_mode) &&
                            ::access(word.c_str(), R_OK | X_OK) == 0;
    if (!is_program) continue;
    ASSAY_TRY(watch(word));
    programs.push_back(word);
  }
  return programs;
}

result<void> measured_files::compare(watched& each) {
  place now;
  const bool is_there = find(each.path, now);
  const auto digest = is_there ? digest_of(each.path) : result<file_digest>(unreadable(each.path));
  if (digest && *digest == each.digest) {
    each.last = now;
    return {};
  }
  return ASSAY_FAIL(
      unavailable,
      fmt::format("{}: was replaced while it was measured ({}, then {}); what was measured before "
                  "and after is of two programs: end the build first, or measure a copy",
                  each.path, each.digest.words(),
                  digest ? digest->words() : std::string("no file that can be read")));
}

result<void> measured_files::check() {
  for (watched& each : files_) {
    place now;
    if (find(each.path, now) && now == each.last) continue;
    ASSAY_TRY(compare(each));
  }
  return {};
}

result<void> measured_files::check_bytes() {
  for (watched& each : files_) ASSAY_TRY(compare(each));
  return {};
}

}  // namespace assay::cli
