// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/host_load.h"

#include <unistd.h>

#include <charconv>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>

namespace assay::compare {
namespace {

std::string contents_of(const char* path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

template <class T>
std::optional<T> number_at(std::string_view text) {
  const std::size_t start = text.find_first_not_of(' ');
  if (start == std::string_view::npos) return std::nullopt;
  T value{};
  const char* end = text.data() + text.size();
  if (std::from_chars(text.data() + start, end, value).ec != std::errc{}) return std::nullopt;
  return value;
}

}  // namespace

std::optional<std::int64_t> steal_ticks(std::string_view stat) {
  if (!stat.starts_with("cpu ")) return std::nullopt;
  std::string_view line = stat.substr(0, stat.find('\n'));
  // user nice system idle iowait irq softirq steal: the eighth number.
  std::size_t at = 3;
  for (int field = 0; field < 7; ++field) {
    at = line.find_first_not_of(' ', at);
    if (at == std::string_view::npos) return std::nullopt;
    at = line.find(' ', at);
    if (at == std::string_view::npos) return std::nullopt;
  }
  return number_at<std::int64_t>(line.substr(at));
}

std::optional<std::int64_t> throttled_ns(std::string_view cpu_stat) {
  constexpr std::string_view key = "throttled_usec ";
  const std::size_t at = cpu_stat.find(key);
  if (at == std::string_view::npos) return std::nullopt;
  const auto value = number_at<std::int64_t>(cpu_stat.substr(at + key.size()));
  return value ? std::optional(*value * 1000) : std::nullopt;
}

host_load host_load_now() {
  host_load load;
  if (const auto ticks = steal_ticks(contents_of("/proc/stat"))) {
    const std::int64_t ticks_a_second = ::sysconf(_SC_CLK_TCK);
    if (ticks_a_second > 0) load.steal_ns = *ticks * (1'000'000'000 / ticks_a_second);
  }
  load.throttled_ns = throttled_ns(contents_of("/sys/fs/cgroup/cpu.stat"));
  load.load_average = number_at<double>(contents_of("/proc/loadavg"));
  const auto khz =
      number_at<std::int64_t>(contents_of("/sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq"));
  if (khz) load.frequency_hz = *khz * 1000;
  return load;
}

}  // namespace assay::compare
