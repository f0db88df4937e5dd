// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/host_cores.h"

#include <sched.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <string>
#include <thread>

namespace assay::device {
namespace {

std::uint32_t cores_of_affinity() {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  // A machine with more cores than the fixed mask holds refuses it.
  if (sched_getaffinity(0, sizeof mask, &mask) != 0)
    return std::max(1U, std::thread::hardware_concurrency());
  return static_cast<std::uint32_t>(std::max(1, CPU_COUNT(&mask)));
}

std::string first_line(const std::string& path) {
  std::ifstream in(path);
  std::string line;
  std::getline(in, line);
  return line;
}

// The line "0::/path" of the unified hierarchy; empty where there is none.
std::string own_cgroup() {
  std::ifstream in("/proc/self/cgroup");
  for (std::string line; std::getline(in, line);)
    if (line.rfind("0::", 0) == 0) return line.substr(3);
  return {};
}

}  // namespace

std::optional<std::uint32_t> cores_of_quota(std::string_view cpu_max) noexcept {
  const char* const end = cpu_max.data() + cpu_max.size();
  std::uint64_t quota = 0;
  const auto first = std::from_chars(cpu_max.data(), end, quota);
  if (first.ec != std::errc{} || first.ptr == end || *first.ptr != ' ' || quota == 0) return {};
  std::uint64_t period = 0;
  const auto second = std::from_chars(first.ptr + 1, end, period);
  if (second.ec != std::errc{} || second.ptr != end || period == 0) return {};
  const std::uint64_t cores = (quota + period - 1) / period;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(cores, UINT32_MAX));
}

std::uint32_t usable_cores() {
  std::uint32_t cores = cores_of_affinity();
  std::string group = own_cgroup();
  for (;;) {
    if (const auto granted = cores_of_quota(first_line("/sys/fs/cgroup" + group + "/cpu.max")))
      cores = std::min(cores, *granted);
    const std::size_t slash = group.rfind('/');
    if (slash == std::string::npos) return std::max(cores, 1U);
    group.resize(slash);
  }
}

}  // namespace assay::device
