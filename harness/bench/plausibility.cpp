// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/bench/plausibility.h"

#include <algorithm>
#include <cstdint>

#include <fmt/format.h>

#include "probes/link/core_clock.h"

namespace assay::bench {
namespace {

constexpr double bytes_a_cycle = 128 + 64;
constexpr double operations_a_cycle = 2 * 16 * 2;
constexpr double clock_margin = 1.05;
constexpr int clock_reads = 16;
constexpr double time_margin = 0.9;

// At least twice as much in either respect. Of operators that compute nothing both are 0.
bool is_much_more(const scenarios::declared_work& one, const scenarios::declared_work& other) {
  return one.bytes() >= 2 * other.bytes() && one.operations >= 2 * other.operations;
}

}  // namespace

result<core_ceiling> measured_ceiling() {
  double most = 0.0;
  for (int i = 0; i < clock_reads; ++i) {
    ASSAY_TRY_ASSIGN(const double cycles_per_s, probes::core_cycles_per_s());
    most = std::max(most, cycles_per_s);
  }
  return core_ceiling{most * clock_margin * bytes_a_cycle,
                      most * clock_margin * operations_a_cycle};
}

std::optional<std::string> above_ceiling(const timed_kernel& row,
                                         const std::optional<core_ceiling>& of_a_core) {
  if (!(row.ns > 0)) return fmt::format("{}: took no time", row.name);
  if (!of_a_core) return std::nullopt;
  const double bytes_per_s = static_cast<double>(row.work.bytes()) * 1e9 / row.ns;
  const double operations_per_s = static_cast<double>(row.work.operations) * 1e9 / row.ns;
  const auto words = [&](double rate, double ceiling, const char* what) {
    return fmt::format(
        "{}: {:.3g} {} a second, and {} thread{} can do {:.3g}: it did not do what "
        "it declares",
        row.name, rate, what, row.threads, row.threads == 1 ? "" : "s", ceiling * row.threads);
  };
  if (bytes_per_s > of_a_core->bytes_per_s * row.threads)
    return words(bytes_per_s, of_a_core->bytes_per_s, "bytes");
  if (operations_per_s > of_a_core->operations_per_s * row.threads)
    return words(operations_per_s, of_a_core->operations_per_s, "operations");
  return std::nullopt;
}

plausible_order order_of(const std::vector<timed_kernel>& rows) {
  plausible_order order;
  std::vector<timed_kernel> asked;
  for (const timed_kernel& each : rows)
    if (each.repetitions >= fewest_repetitions) asked.push_back(each);
  if (asked.size() < rows.size())
    order.absence = fmt::format("{} of {} rows have fewer than {} repetitions",
                                rows.size() - asked.size(), rows.size(), fewest_repetitions);
  for (const timed_kernel& large : asked)
    for (const timed_kernel& small : asked)
      if (large.family == small.family && is_much_more(large.work, small.work) &&
          large.ns < time_margin * small.ns)
        order.complaints.push_back(
            fmt::format("{}: took {:.0f} ns, and {} took {:.0f} ns for at most half "
                        "of the work",
                        large.name, large.ns, small.name, small.ns));
  return order;
}

}  // namespace assay::bench
