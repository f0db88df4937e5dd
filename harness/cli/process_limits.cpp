// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/process_limits.h"

#include <sys/resource.h>

#include <cstdint>

#include <fmt/format.h>

namespace assay::cli {
namespace {

// Threads get as much as the limit says. 256 KiB carries a decode and an audit, 128 KiB neither
// (AMD EPYC, glibc 2.36, 2026-12-02).
constexpr std::uint64_t stack_min_kib = 512;
// An audit has up to ten open at once, and one more for each output and each core.
constexpr std::uint64_t files_min = 16;

// RLIM_INFINITY is the largest of its type.
bool is_below(decltype(RLIMIT_STACK) resource, std::uint64_t least, std::uint64_t& now) {
  rlimit limit{};
  if (::getrlimit(resource, &limit) != 0) return false;
  now = limit.rlim_cur;
  return now < least;
}

}  // namespace

std::string crippling_limit() {
  std::uint64_t now = 0;
  if (is_below(RLIMIT_STACK, stack_min_kib * 1024, now))
    return fmt::format("a stack may take {} KiB here, and assay needs {}; raise it: ulimit -s {}",
                       now / 1024, stack_min_kib, stack_min_kib);
  if (is_below(RLIMIT_NOFILE, files_min, now))
    return fmt::format(
        "{} files may be open at once here, and assay needs {}; raise it: ulimit -n {}", now,
        files_min, files_min);
  return {};
}

}  // namespace assay::cli
