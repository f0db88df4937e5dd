// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/audit/gates.h"

#include <algorithm>

#include <fmt/format.h>

#include "harness/audit/wording.h"

namespace assay::audit {

namespace {

// Of three that must enclose each other, two that agree name the third. Where the events are
// shorter than the records of the work, the host says nothing of either: both are in doubt.
std::uint64_t void_event_spans(const evidence& from, void_map& voids) {
  std::uint64_t windows = 0;
  for (int at = 0; at < range_slots; ++at) {
    const auto slot = static_cast<std::size_t>(at);
    const event_span_defects& seen = from.event_spans[slot];
    windows += seen.longer_than_host;
    if (seen.longer_than_host != 0)
      blame(
          voids.event_spans[slot],
          fmt::format("G1: harness events around {} are longer than the host's span in {} windows",
                      slot_name(at), seen.longer_than_host));
    if (seen.shorter_than_work != 0)
      blame(voids.event_spans[slot],
            fmt::format("G1: harness events around {} are shorter than its work in {} windows",
                        slot_name(at), seen.shorter_than_work));
  }
  return windows;
}

// What one count of the link allows, and the records of the copies that it is held against.
struct link_bounds {
  std::int64_t least_bytes = 0;
  std::int64_t most_bytes = 0;
  std::int64_t recorded_bytes = 0;
  std::vector<int> cells;

  bool holds() const { return recorded_bytes >= least_bytes && recorded_bytes <= most_bytes; }
};

std::optional<link_bounds> link_bounds_of(const evidence& from) {
  for (const counter_evidence& counter : from.counters) {
    link_bounds made;
    std::size_t bounds = 0;
    for (const reference_evidence& each : counter.references) {
      if (each.source != ASSAY_SOURCE_NVML || each.bound.compared == 0) continue;
      (each.relation == ASSAY_AT_LEAST ? made.least_bytes : made.most_bytes) =
          each.bound.bound.integer;
      ++bounds;
    }
    if (bounds != 2) continue;
    made.cells = cells_of(counter.spec.claims);
    for (const int cell : made.cells)
      made.recorded_bytes =
          saturating_add(made.recorded_bytes, from.totals[static_cast<std::size_t>(cell)].bytes);
    return made;
  }
  return std::nullopt;
}

// A gate on device records, where there are none, tried nothing.
bool is_without_records(const evidence& from, model::gate_line& line) {
  if (from.records_absence.empty()) return false;
  line.holds = false;
  line.detail = from.records_absence;
  return true;
}

}  // namespace

model::gate_line gate_inequalities(const evidence& from, void_map& voids) {
  model::gate_line line{"G1",
                        "ORDER AND ENCLOSURE",
                        true,
                        from.orders_checked + from.triangles_checked + from.event_spans_checked,
                        {}};
  std::uint64_t disordered = 0;
  std::uint64_t instant = 0;
  std::uint64_t impossible = 0;
  for (int at = 0; at < cell_total; ++at) {
    const auto cell = static_cast<std::size_t>(at);
    const order_defects& order = from.order[cell];
    disordered += order.out_of_order;
    instant += order.instant;
    impossible += from.impossible[cell];
    if (order.out_of_order != 0) {
      const std::string why = fmt::format("G1: {} records of {} break the order of their stream",
                                          order.out_of_order, cell_name(at));
      blame(voids.cell[cell], why);
      blame(voids.gaps, why);
    }
    if (from.impossible[cell] != 0)
      blame(voids.cell[cell],
            fmt::format("G1: records of {} are shorter than their link or longer than their events "
                        "allow",
                        cell_name(at)));
    if (order.instant != 0)
      blame(voids.cell_times[cell], fmt::format("G1: {} records of {} took no time for their work",
                                                order.instant, cell_name(at)));
  }
  impossible += void_event_spans(from, voids);
  if (from.is_order_unknown)
    blame(voids.all_device, "G1: the trace names more streams than can be followed");
  line.holds = disordered + instant + impossible == 0 && !from.is_order_unknown;
  line.detail = line.holds ? "work runs in order, inside its events and windows"
                           : fmt::format("{} out of order, {} in no time, {} against their bracket",
                                         disordered, instant, impossible);
  return line;
}

model::gate_line gate_sentinels(const evidence& from, void_map& voids) {
  const sentinel_evidence& seen = from.sentinels;
  model::gate_line line{"G2", "SENTINELS", false, seen.announced, {}};
  if (is_without_records(from, line)) return line;
  line.holds = seen.announced > 0 && seen.confirmed == seen.announced && seen.missing == 0 &&
               seen.surplus == 0 && seen.bad_content == 0 && seen.mistimed == 0;
  if (seen.announced == 0)
    line.detail =
        "no operation with a known answer was made, so nothing shows that records are whole";
  else
    line.detail = fmt::format(
        "{} of {} known answers shown; {} missing, {} in surplus, {} of wrong content, {} mistimed",
        seen.confirmed, seen.announced, seen.missing, seen.surplus, seen.bad_content,
        seen.mistimed);
  if (!line.holds) blame(voids.all_device, "G2: " + line.detail);
  return line;
}

model::gate_line gate_clocks(const evidence& from) {
  const clock_evidence& clocks = from.clocks;
  model::gate_line line{"G3", "CLOCKS", false, clocks.samples, {}};
  if (is_without_records(from, line)) return line;
  line.holds = clocks.usable() > 0 && clocks.steps == 0;
  if (clocks.usable() == 0)
    line.detail = fmt::format("no usable clock sample ({} taken, {} too wide)", clocks.samples,
                              clocks.rejected);
  else
    line.detail = fmt::format(
        "offset known to {}, drift {:.1f} ppm, {} of {} samples too wide{}",
        time_words(static_cast<double>(clocks.bound_ns)), clocks.drift_ppm, clocks.rejected,
        clocks.samples,
        clocks.steps == 0 ? std::string()
                          : fmt::format(", {} steps of up to {}", clocks.steps,
                                        time_words(static_cast<double>(clocks.worst_step_ns))));
  return line;
}

model::gate_line gate_completeness(const evidence& from) {
  cell_defects sum;
  for (const cell_defects& cell : from.complete.cells) {
    sum.submissions += cell.submissions;
    sum.activities += cell.activities;
    sum.lost += cell.lost;
    sum.orphans += cell.orphans;
    sum.duplicates += cell.duplicates;
    sum.contradictory += cell.contradictory;
    sum.unstamped += cell.unstamped;
    sum.partial += cell.partial;
  }
  model::gate_line line{"G4", "COMPLETENESS", false, sum.submissions, {}};
  if (is_without_records(from, line)) return line;
  std::int64_t dropped = 0;
  for (const std::int64_t lost : from.losses) dropped = saturating_add(dropped, lost);
  line.holds = sum.total() == 0 && dropped == 0 && from.complete.overflows == 0 &&
               from.complete.unreadable_activities == 0;
  line.detail = fmt::format(
      "{} calls, {} records of work; {} lost, {} without a call, {} twice, {} contradictory, "
      "{} without times, {} of other size than asked, {} dropped",
      sum.submissions, sum.activities, sum.lost, sum.orphans, sum.duplicates, sum.contradictory,
      sum.unstamped, sum.partial, dropped);
  return line;
}

std::optional<model::gate_line> gate_link_bytes(const evidence& from, const trace::run_facts& facts,
                                                void_map& voids) {
  const auto told = std::find_if(facts.facts.begin(), facts.facts.end(),
                                 [](const auto& each) { return each.name == link_bytes_fact; });
  const std::optional<link_bounds> bounds = link_bounds_of(from);
  if (!bounds && told == facts.facts.end()) return std::nullopt;
  model::gate_line line{"G5", "LINK BYTES", false, 0, {}};
  if (is_without_records(from, line)) return line;
  if (!bounds) {
    line.detail = told->value;
    return line;
  }
  line.evaluated_samples = 1;
  line.holds = bounds->holds();
  line.detail = fmt::format("copies of {} B by their records; NVML's count allows {} to {} B",
                            bounds->recorded_bytes, bounds->least_bytes, bounds->most_bytes);
  if (!line.holds)
    for (const int cell : bounds->cells)
      blame(voids.cell[static_cast<std::size_t>(cell)], "G5: " + line.detail);
  return line;
}

}  // namespace assay::audit
