// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/bench/worker.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <istream>
#include <ostream>
#include <string>

#include <fmt/format.h>

#include "harness/bench/slice_protocol.h"
#include "runtime/telemetry/clock.h"

namespace assay::bench {
namespace {

constexpr std::int64_t longest_slice_ns = 60'000'000'000;

std::optional<std::int64_t> asked_ns(std::string_view line) {
  if (!line.starts_with(slice_word) || line.size() < slice_word.size() + 2) return std::nullopt;
  const std::string_view number = line.substr(slice_word.size() + 1);
  std::int64_t ns = 0;
  const auto [end, code] = std::from_chars(number.data(), number.data() + number.size(), ns);
  const bool is_whole = code == std::errc{} && end == number.data() + number.size();
  return is_whole && ns > 0 && ns <= longest_slice_ns ? std::optional(ns) : std::nullopt;
}

std::int64_t time_of(scenarios::kernel_run& run, std::uint64_t calls) {
  const host_time start = host_now();
  run.call(calls);
  return std::max<std::int64_t>(host_now() - start, 1);
}

}  // namespace

std::uint64_t calls_for(std::int64_t wanted_ns, double ns_a_call) {
  constexpr double most = 1e12;
  const double calls = std::floor(static_cast<double>(wanted_ns) / std::max(ns_a_call, 1e-3));
  return static_cast<std::uint64_t>(std::clamp(calls, 1.0, most));
}

const scenarios::kernel_row* find_row(const scenarios::kernel_list& list, std::string_view name) {
  constexpr std::string_view listed_suffix = "/real_time";
  if (name.ends_with(listed_suffix)) name.remove_suffix(listed_suffix.size());
  for (const scenarios::kernel_row& each : list.rows)
    if (each.name == name) return &each;
  return nullptr;
}

result<void> serve_slices(const scenarios::kernel_row& row,
                          const std::optional<core_ceiling>& of_a_core, std::istream& in,
                          std::ostream& out) {
  ASSAY_TRY_ASSIGN(const auto run, row.make());
  run->call(1);
  double ns_a_call = static_cast<double>(time_of(*run, 1));
  out << ready_words << std::endl;
  for (std::string line; std::getline(in, line);) {
    const auto wanted_ns = asked_ns(line);
    if (!wanted_ns)
      return ASSAY_FAIL(usage, fmt::format("'{}' is no request; write: slice NS", line));
    const std::uint64_t calls = calls_for(*wanted_ns, ns_a_call);
    const std::int64_t ns = time_of(*run, calls);
    ns_a_call = static_cast<double>(ns) / static_cast<double>(calls);
    if (const auto complaint = above_ceiling(
            {row.name, row.family, row.work, row.asked_threads, ns_a_call}, of_a_core))
      return ASSAY_FAIL(unavailable, *complaint);
    out << slice_word << ' ' << calls << ' ' << ns << std::endl;
  }
  return {};
}

}  // namespace assay::bench
