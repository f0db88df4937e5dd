// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/audit/r18_incomplete.h"

#include <fmt/format.h>

#include "harness/audit/wording.h"

namespace assay::audit {
namespace {

void report(const std::string& subject, std::string why, std::uint64_t count, rule_outcome& out) {
  model::finding found = finding_of("R18", "DROPPED/INCOMPLETE", model::severity::warning, subject);
  found.message = std::move(why) + ".";
  found.claimed = absent("the ground truth is in doubt, not a counter");
  found.observed = absent("the ground truth is in doubt, not a counter");
  found.window_count = count;
  out.findings.push_back(std::move(found));
}

std::string defect_words(int at, const cell_defects& cell) {
  std::string words = fmt::format("Of {} calls and {} records of {}", cell.submissions,
                                  cell.activities, cell_name(at));
  const auto say = [&words](std::uint64_t count, const char* what) {
    if (count != 0) words += fmt::format(", {} {}", count, what);
  };
  say(cell.lost, "lost their record");
  say(cell.orphans, "have no call");
  say(cell.duplicates, "came twice");
  say(cell.contradictory, "contradict their call");
  say(cell.unstamped, "have no times");
  say(cell.partial, "moved other bytes than asked");
  return words;
}

void judge_cells(const completeness& complete, void_map& voids, rule_outcome& out) {
  for (int at = 0; at < cell_total; ++at) {
    const cell_defects& cell = complete.cells[static_cast<std::size_t>(at)];
    out.evaluated += cell.submissions + cell.orphans;
    if (cell.total() == 0) continue;
    const std::string why = defect_words(at, cell);
    blame(voids.gaps, "R18: " + why);
    blame(is_sentinel(at) ? voids.all_device : voids.cell[static_cast<std::size_t>(at)],
          "R18: " + why);
    report(cell_name(at), why, cell.total(), out);
  }
  for (int group = 0; group < work_kinds * direction_slots; ++group) {
    if (complete.orphans_without_range[static_cast<std::size_t>(group)] == 0) continue;
    for (int slot = 0; slot < range_slots; ++slot)
      blame(voids.cell[static_cast<std::size_t>(group * range_slots + slot)],
            fmt::format("R18: {} records of {} have no call, so their range is unknown",
                        complete.orphans_without_range[static_cast<std::size_t>(group)],
                        cell_name(group * range_slots)));
  }
}

void judge_losses(const evidence& from, void_map& voids, rule_outcome& out) {
  for (int source = 1; source < source_total; ++source) {
    const std::int64_t lost = from.losses[static_cast<std::size_t>(source)];
    if (lost == 0) continue;
    const std::string why =
        fmt::format("{} records of {} were lost by their own account", lost, source_name(source));
    blame(source == ASSAY_SOURCE_DEVICE_RECORDS ? voids.all_device
                                                : voids.source[static_cast<std::size_t>(source)],
          "R18: " + why);
    report(source_name(source), why, static_cast<std::uint64_t>(lost), out);
  }
}

}  // namespace

rule_outcome incomplete(const evidence& from, void_map& voids) {
  rule_outcome out;
  judge_cells(from.complete, voids, out);
  judge_losses(from, voids, out);
  const std::uint64_t unreadable = from.complete.unreadable_activities;
  if (from.complete.overflows != 0) {
    const std::string why = "More operations were open at once than an audit keeps";
    blame(voids.all_device, "R18: " + why);
    report("device records", why, from.complete.overflows, out);
  }
  if (unreadable != 0) {
    const std::string why = fmt::format("{} records of work name no known operation", unreadable);
    blame(voids.all_device, "R18: " + why);
    report("device records", why, unreadable, out);
  }
  for (int slot = 0; slot < range_slots; ++slot) {
    const std::uint64_t unmatched = from.memory.of_slot(slot).unmatched;
    if (unmatched == 0 || slot == sentinel_slot) continue;
    const std::string why =
        fmt::format("{} of {} memory records of {} do not fit each other", unmatched,
                    from.memory.of_slot(slot).records, slot_name(slot));
    blame(voids.memory[static_cast<std::size_t>(slot)], "R18: " + why);
    report("memory " + slot_name(slot), why, unmatched, out);
  }
  return out;
}

}  // namespace assay::audit
