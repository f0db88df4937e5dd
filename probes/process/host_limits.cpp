// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/process/host_limits.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <optional>
#include <sstream>
#include <string_view>

namespace assay::probes {
namespace {

result<std::string> text_of(const std::string& path) {
  std::ifstream in(path);
  if (!in) return ASSAY_FAIL(unavailable, path + ": cannot be read; this kernel does not offer it");
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

result<std::string> line_after(const std::string& path, std::string_view key) {
  ASSAY_TRY_ASSIGN(const std::string text, text_of(path));
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with(key)) return line.substr(key.size());
  return ASSAY_FAIL(unavailable, path + ": no line begins with '" + std::string(key) +
                                     "'; this kernel does not report it");
}

// "max 100000" or "150000 100000": microseconds of CPU time a period, or no limit.
double quota_of(const std::string& cpu_max) {
  std::istringstream fields(cpu_max);
  std::string most;
  double period_us = 0.0;
  if (!(fields >> most >> period_us) || most == "max" || !(period_us > 0.0)) return 0.0;
  std::istringstream number(most);
  double most_us = 0.0;
  return number >> most_us ? most_us / period_us : 0.0;
}

// A group is bound by its own quota and by that of each group around it. A file that is not there
// limits nothing: the root has none, and nor has a kernel without cgroups of the second version.
double tightest_quota(std::string group, const std::string& sys) {
  double tightest = 0.0;
  for (;;) {
    if (const auto text = text_of(sys + "/fs/cgroup" + group + "/cpu.max")) {
      const double quota = quota_of(*text);
      if (quota > 0.0 && (tightest == 0.0 || quota < tightest)) tightest = quota;
    }
    const auto slash = group.rfind('/');
    if (slash == std::string::npos) return tightest;
    group.resize(slash);
  }
}

std::optional<std::int64_t> number_in(const std::string& path) {
  const auto text = text_of(path);
  if (!text) return std::nullopt;
  std::istringstream field(*text);
  std::int64_t number = 0;
  if (!(field >> number)) return std::nullopt;  // "max"
  return number;
}

// Names of one version of cgroups.
struct memory_files {
  const char* limit;
  const char* used;
  std::array<const char*, 2> caches;  // of files: the kernel drops them before it lacks memory
};
constexpr memory_files first_version{"/memory.limit_in_bytes",
                                     "/memory.usage_in_bytes",
                                     {"total_inactive_file ", "total_active_file "}};
constexpr memory_files second_version{
    "/memory.max", "/memory.current", {"inactive_file ", "active_file "}};

// What the tightest of a group and those around it has left; nothing where none limits.
std::optional<std::int64_t> memory_left(const std::string& root, std::string group,
                                        const memory_files& names) {
  std::optional<std::int64_t> least;
  for (;;) {
    const auto limit = number_in(root + group + names.limit);
    const auto used = number_in(root + group + names.used);
    if (limit && used) {
      std::int64_t held = *used;
      for (const char* cache : names.caches) {
        std::int64_t bytes = 0;
        if (const auto told = line_after(root + group + "/memory.stat", cache))
          std::istringstream(*told) >> bytes;
        held = std::max<std::int64_t>(held - bytes, 0);
      }
      const std::int64_t left = std::max<std::int64_t>(*limit - held, 0);
      least = std::min(least.value_or(left), left);
    }
    const auto slash = group.rfind('/');
    if (slash == std::string::npos) return least;
    group.resize(slash);
  }
}

// Of both versions: a machine may have memory under the first and cores under the second.
std::optional<std::int64_t> memory_left(const std::string& proc, const std::string& sys) {
  const auto named = [](const std::string& group) { return group == "/" ? "" : group; };
  std::optional<std::int64_t> left;
  if (const auto group = line_after(proc + "/self/cgroup", "0::"))
    left = memory_left(sys + "/fs/cgroup", named(*group), second_version);
  const auto groups = text_of(proc + "/self/cgroup");
  if (!groups) return left;
  std::istringstream lines(*groups);
  constexpr std::string_view key = ":memory:";
  for (std::string line; std::getline(lines, line);) {
    const auto at = line.find(key);
    if (at == std::string::npos) continue;
    const auto of_first =
        memory_left(sys + "/fs/cgroup/memory", named(line.substr(at + key.size())), first_version);
    if (of_first) left = std::min(left.value_or(*of_first), *of_first);
  }
  return left;
}

}  // namespace

result<core_limits> read_core_limits(const std::string& proc, const std::string& sys) {
  core_limits limits;
  limits.online_count = sysconf(_SC_NPROCESSORS_ONLN);
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
    return ASSAY_FAIL(unavailable,
                      "sched_getaffinity: refused; a machine with more than 1024 cores needs a "
                      "larger mask");
  limits.allowed_count = CPU_COUNT(&allowed);
  if (auto group = line_after(proc + "/self/cgroup", "0::"))
    limits.quota_cores = tightest_quota(*group == "/" ? "" : *group, sys);
  return limits;
}

result<std::int64_t> available_memory_bytes(const std::string& proc, const std::string& sys) {
  constexpr std::int64_t bytes_per_kib = 1024;
  ASSAY_TRY_ASSIGN(const std::string rest, line_after(proc + "/meminfo", "MemAvailable:"));
  std::istringstream fields(rest);
  std::int64_t kib = 0;
  if (!(fields >> kib))
    return ASSAY_FAIL(unavailable, proc + "/meminfo: MemAvailable: not a number");
  const std::int64_t of_machine = kib * bytes_per_kib;
  return std::min(memory_left(proc, sys).value_or(of_machine), of_machine);
}

result<std::string> huge_page_mode(const std::string& sys) {
  const std::string path = sys + "/kernel/mm/transparent_hugepage/enabled";
  ASSAY_TRY_ASSIGN(const std::string text, text_of(path));
  const auto open = text.find('[');
  const auto close = text.find(']');
  if (open == std::string::npos || close == std::string::npos || close < open)
    return ASSAY_FAIL(unavailable, path + ": no mode stands in brackets");
  return text.substr(open + 1, close - open - 1);
}

result<bool> is_virtual_machine(const std::string& proc) {
  ASSAY_TRY_ASSIGN(const std::string flags, line_after(proc + "/cpuinfo", "flags"));
  std::istringstream words(flags);
  for (std::string word; words >> word;)
    if (word == "hypervisor") return true;
  return false;
}

}  // namespace assay::probes
