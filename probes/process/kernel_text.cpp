// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/process/kernel_text.h"

#include <charconv>
#include <cmath>
#include <optional>
#include <system_error>

namespace assay::probes {
namespace {

constexpr std::string_view blanks = " \t\n:";

std::string_view without_blanks(std::string_view text) {
  const auto start = text.find_first_not_of(blanks);
  if (start == std::string_view::npos) return {};
  const auto end = text.find_last_not_of(blanks);
  return text.substr(start, end - start + 1);
}

// All of `digits`, no more and no less.
std::optional<std::int64_t> whole(std::string_view digits, std::int64_t scale) {
  std::int64_t value = 0;
  const char* const end = digits.data() + digits.size();
  const auto [after, problem] = std::from_chars(digits.data(), end, value);
  if (digits.empty() || problem != std::errc{} || after != end || value < 0) return std::nullopt;
  if (__builtin_mul_overflow(value, scale, &value)) return std::nullopt;
  return value;
}

// "/a/b" to "/a/b", "/a", "".
std::vector<std::string> upwards(std::string_view path) {
  std::string at(path);
  if (at == "/" || at.empty() || at.front() != '/' || at.find("/..") != std::string::npos) at = "";
  std::vector<std::string> all{at};
  while (!at.empty()) {
    at.resize(at.rfind('/'));
    all.push_back(at);
  }
  return all;
}

bool names_cpu(std::string_view controllers) {
  while (!controllers.empty()) {
    const auto comma = controllers.find(',');
    if (controllers.substr(0, comma) == "cpu") return true;
    if (comma == std::string_view::npos) return false;
    controllers.remove_prefix(comma + 1);
  }
  return false;
}

template <class Take>
void each_line(std::string_view text, Take take) {
  while (!text.empty()) {
    const auto end = text.find('\n');
    take(text.substr(0, end));
    if (end == std::string_view::npos) return;
    text.remove_prefix(end + 1);
  }
}

failure no_number(const std::string& from, const std::string& what) {
  return ASSAY_FAIL(unavailable, from + ": " + what + "; this kernel does not report it");
}

}  // namespace

result<std::int64_t> parse_whole(std::string_view text, const std::string& from,
                                 std::int64_t scale) {
  const auto value = whole(without_blanks(text), scale);
  if (!value) return no_number(from, "not one whole number that can be counted in");
  return *value;
}

result<std::int64_t> parse_keyed(std::string_view text, std::string_view key,
                                 const std::string& from, std::int64_t scale) {
  std::optional<std::int64_t> found;
  each_line(text, [&](std::string_view line) {
    if (found || !line.starts_with(key)) return;
    line.remove_prefix(key.size());
    // A longer word that begins like it is another.
    if (line.empty() || blanks.find(line.front()) == std::string_view::npos) return;
    line = without_blanks(line);
    found = whole(line.substr(0, line.find_first_of(" \t")), scale);
  });
  if (!found) return no_number(from, "no number that can be counted in behind " + std::string(key));
  return *found;
}

result<group_throttling> parse_cpu_stat(std::string_view text, const std::string& from) {
  constexpr std::int64_t ns_per_us = 1000;
  group_throttling out;
  ASSAY_TRY_ASSIGN(out.throttles_count, parse_keyed(text, "nr_throttled", from));
  if (const auto second = parse_keyed(text, "throttled_usec", from, ns_per_us)) {
    out.throttled_ns = *second;
    return out;
  }
  ASSAY_TRY_ASSIGN(out.throttled_ns, parse_keyed(text, "throttled_time", from));
  return out;
}

group_folders parse_cgroup(std::string_view text) {
  group_folders out;
  each_line(text, [&](std::string_view line) {
    const auto first = line.find(':');
    if (first == std::string_view::npos) return;
    const auto second = line.find(':', first + 1);
    if (second == std::string_view::npos) return;
    const std::string_view controllers = line.substr(first + 1, second - first - 1);
    const std::string_view path = line.substr(second + 1);
    if (controllers.empty() && line.starts_with("0:")) out.unified = upwards(path);
    if (names_cpu(controllers))
      for (const std::string& each : upwards(path))
        // The mount has the controllers' names, or the one name that links to it.
        out.cpu.push_back("/cpu" + each);
  });
  return out;
}

result<std::int64_t> parse_pressure_ns(std::string_view text, const std::string& from) {
  constexpr std::int64_t ns_per_us = 1000;
  constexpr std::string_view key = " total=";
  std::optional<std::int64_t> found;
  each_line(text, [&](std::string_view line) {
    const auto at = line.find(key);
    if (found || !line.starts_with("some ") || at == std::string_view::npos) return;
    found = whole(without_blanks(line.substr(at + key.size())), ns_per_us);
  });
  if (!found) return no_number(from, "no line of 'some' with a total");
  return *found;
}

result<load_reading> parse_loadavg(std::string_view text, const std::string& from) {
  load_reading out;
  double average = 0.0;
  const char* const end = text.data() + text.size();
  const auto [after, problem] = std::from_chars(text.data(), end, average);
  const auto slash = text.find('/');
  // Threads are fewer than 2^22 (Linux), so that more is no reading.
  constexpr double most = 1e9;
  if (problem != std::errc{} || !std::isfinite(average) || average < 0.0 || average > most ||
      slash == std::string_view::npos)
    return no_number(from, "no load average with runnable threads behind it");
  out.average_milli = std::llround(average * 1000.0);
  const auto start = text.find_last_of(blanks, slash);
  const auto runnable = start == std::string_view::npos
                            ? std::nullopt
                            : whole(text.substr(start + 1, slash - start - 1), 1);
  if (!runnable) return no_number(from, "no load average with runnable threads behind it");
  out.runnable_count = *runnable;
  static_cast<void>(after);
  return out;
}

}  // namespace assay::probes
