// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/process/host_account.h"

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <string_view>

#include <sys/resource.h>

#include "probes/process/open_file.h"

namespace assay::probes {

namespace {

constexpr std::size_t head_of_file_bytes = 4096;  // what is read here stands in the first lines

/// The word at `index` of a line, counted from 0; empty where the line is shorter.
std::string_view word(std::string_view line, int index) {
  for (;; --index) {
    const auto start = line.find_first_not_of(" \t");
    if (start == std::string_view::npos) return {};
    line.remove_prefix(start);
    const auto end = line.find_first_of(" \t\n");
    if (index == 0) return line.substr(0, end);
    if (end == std::string_view::npos) return {};
    line.remove_prefix(end);
  }
}

/// The first line that begins with `key`, without its end; empty where there is none.
std::string_view line_of(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    const auto end = text.find('\n');
    const auto line = text.substr(0, end);
    if (line.starts_with(key)) return line;
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return {};
}

template <class Number>
result<Number> number_at(const std::string& path, std::string_view key, int index) {
  ASSAY_TRY_ASSIGN(const open_file file, open_file::open(path));
  std::array<char, head_of_file_bytes> buffer;
  ASSAY_TRY_ASSIGN(const auto text, file.read(buffer));
  const auto digits = word(line_of(text, key), index);
  Number value{};
  const auto [after, problem] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (digits.empty() || problem != std::errc{} || after != digits.data() + digits.size())
    return ASSAY_FAIL(unavailable, path + ": no number in field " + std::to_string(index) +
                                       " of line '" + std::string(key) +
                                       "'; this kernel does not report it");
  return value;
}

}  // namespace

result<std::int64_t> steal_ticks(const std::string& proc) {
  constexpr int steal_field = 8;  // cpu user nice system idle iowait irq softirq steal
  return number_at<std::int64_t>(proc + "/stat", "cpu ", steal_field);
}

result<double> load_average_1min(const std::string& proc) {
  return number_at<double>(proc + "/loadavg", "", 0);
}

result<std::uint64_t> peak_resident_bytes(const std::string& proc) {
  constexpr std::uint64_t bytes_per_kib = 1024;
  ASSAY_TRY_ASSIGN(const auto kib, number_at<std::uint64_t>(proc + "/self/status", "VmHWM:", 1));
  return kib * bytes_per_kib;
}

result<thread_usage> usage_of_this_thread() {
  rusage usage{};
  if (::getrusage(RUSAGE_THREAD, &usage) != 0)
    return ASSAY_FAIL(unavailable, std::string("getrusage of this thread: ") +
                                       std::strerror(errno) + "; it needs Linux 2.6.26 or later");
  return thread_usage{usage.ru_minflt, usage.ru_majflt, usage.ru_nvcsw, usage.ru_nivcsw};
}

}  // namespace assay::probes
