// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/audit/r17_clock_skew.h"

#include <fmt/format.h>

#include "harness/audit/wording.h"

namespace assay::audit {
namespace {

model::finding doubt_of(const std::string& subject, std::string message, std::uint64_t count) {
  model::finding found = finding_of("R17", "CLOCK_SKEW", model::severity::warning, subject);
  found.message = std::move(message);
  found.claimed = absent("the ground truth is in doubt, not a counter");
  found.observed = absent("the ground truth is in doubt, not a counter");
  found.window_count = count;
  return found;
}

void judge_clocks(const clock_evidence& clocks, void_map& voids, rule_outcome& out) {
  if (clocks.usable() == 0) {
    blame(voids.all_times, "R17: no usable clock sample relates the device's clock to the host's");
    return;
  }
  if (clocks.steps == 0) return;
  blame(voids.all_times, "R17: the device's clock drifts or steps against the host's");
  out.findings.push_back(doubt_of(
      "device clock",
      fmt::format("The device's clock moved {} times by up to {} beyond any drift against the "
                  "host's: times of device records are in doubt.",
                  clocks.steps, time_words(static_cast<double>(clocks.worst_step_ns))),
      clocks.steps));
}

}  // namespace

rule_outcome clock_skew(const evidence& from, void_map& voids) {
  rule_outcome out;
  out.evaluated = from.times_checked + from.clocks.samples;
  judge_clocks(from.clocks, voids, out);
  for (int at = 0; at < cell_total; ++at) {
    const clock_defects& cell = from.clock[static_cast<std::size_t>(at)];
    if (cell.early == 0 && cell.outside == 0) continue;
    const std::string why = fmt::format(
        "R17: {} records of {} began before their call and {} lie outside their window, by up to "
        "{}",
        cell.early, cell_name(at), cell.outside, time_words(static_cast<double>(cell.worst_ns)));
    blame(voids.wrong_times, why);
    blame(is_sentinel(at) ? voids.all_times : voids.cell_times[static_cast<std::size_t>(at)], why);
    // A record that begins before its call is no record of that call, in nothing that it says.
    if (cell.early != 0 && !is_sentinel(at)) blame(voids.cell[static_cast<std::size_t>(at)], why);
    out.findings.push_back(doubt_of(cell_name(at), why.substr(5) + ": their times are in doubt.",
                                    cell.early + cell.outside));
  }
  return out;
}

}  // namespace assay::audit
