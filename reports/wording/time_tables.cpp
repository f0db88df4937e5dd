// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/wording/time_tables.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "reports/model/launch_name.h"
#include "reports/model/step_reads.h"
#include "reports/wording/audit_words.h"
#include "reports/wording/investigation_words.h"
#include "reports/wording/quantity_words.h"
#include "reports/wording/word_cells.h"

namespace assay::reports {
namespace {

using model::time_part;

constexpr std::size_t slowest_max = 10;
constexpr std::int64_t read_max_bytes = std::int64_t{1} << 56;  // a sum over classes cannot wrap

word_cell share_cell(std::int64_t part, std::int64_t whole) {
  word_cell cell{share_words(part, whole)};
  if (whole > 0) cell.sort_value = static_cast<double>(part) / static_cast<double>(whole);
  return cell;
}

word_cell quantity_cell(const model::quantity& value, std::string_view unit) {
  word_cell cell{is_printable(value) ? quantity_words(value, unit, "count") : "-"};
  if (is_printable(value))
    cell.sort_value = value.is_real ? value.real : static_cast<double>(value.integer);
  return cell;
}

std::string_view meaning_of(time_part part) {
  switch (part) {
    case time_part::launch:
      return "a kernel ran";
    case time_part::h2d:
      return "no kernel ran, but a copy from host to device";
    case time_part::d2h:
      return "no kernel ran, but a copy from device to host";
    case time_part::d2d:
      return "no kernel ran, but a copy within the device";
    case time_part::event:
      return "the device stamped an event";
    case time_part::gap:
      return "the device was idle although a call for work had returned";
    case time_part::submit:
      return "device idle, nothing pending, host inside a call that submits";
    case time_part::sync:
      return "device idle, nothing pending, host inside a call that waits";
  }
  return "?";
}

std::string overhead_words(const model::pass_total& total) {
  if (total.overhead.passes == 0)
    return "unmeasured: no recorder of this run tells what it does for itself";
  if (total.overhead.passes < total.passes)
    return fmt::format("unmeasured: the recorder's records of itself were held in {} of {} passes",
                       with_separators(total.overhead.passes), with_separators(total.passes));
  return fmt::format(
      "the recorder's and the driver's own, by its records of itself: {} on the caller's thread",
      duration_words(total.overhead.caller_ns));
}

std::string allocation_words(const model::pass_total& total) {
  return fmt::format(
      "inside of {} calls that allocate or free, {} in all, beside other work or not",
      with_separators(total.memory.calls), duration_words(total.memory.call_ns));
}

std::string staging_words(const model::pass_total& total) {
  if (total.unbounded_copies > 0)
    return fmt::format(
        "unmeasured: no record tells it, and of {} copies no call that would bound it",
        with_separators(total.unbounded_copies));
  return fmt::format("unmeasured: no record tells it; within the {} copy calls at most {}",
                     with_separators(total.copy_calls), duration_words(total.copy_call_ns));
}

void add_pass_rows(word_table& table, std::string_view kind, const model::pass_total& total) {
  if (total.passes == 0) return;
  const auto row = [&](std::string_view what, std::int64_t ns, std::int64_t busy_ns,
                       std::string_view meaning, word_tone tone) {
    word_cell beneath = busy_ns > ns ? time_cell(busy_ns - ns) : word_cell{"-"};
    table.rows.push_back({{{std::string(kind)},
                           {std::string(what)},
                           time_cell(ns),
                           share_cell(ns, total.wall_ns),
                           time_cell(ns / static_cast<std::int64_t>(total.passes)),
                           beneath,
                           {std::string(meaning)}},
                          tone});
  };
  for (std::size_t at = 0; at < model::time_part_count; ++at) {
    const auto part = static_cast<time_part>(at);
    row(to_string(part), total.parts[at], total.busy_ns[at], meaning_of(part), word_tone::plain);
  }
  const auto open = [&](std::string_view what, const std::string& meaning) {
    table.rows.push_back(
        {{{std::string(kind)}, {std::string(what)}, {"-"}, {"-"}, {"-"}, {"-"}, {meaning}},
         word_tone::calm});
  };
  if (total.allocations == 0)
    row("allocation", 0, 0, "no allocation was recorded", word_tone::plain);
  else if (total.memory.untimed_calls > 0)
    open("allocation", fmt::format("unmeasured: {} moments, without a length",
                                   with_separators(total.allocations)));
  if (total.copy_calls == 0 && total.unbounded_copies == 0)
    row("staging", 0, 0, "nothing was copied", word_tone::plain);
  else
    open("staging", staging_words(total));
  row("residual", total.residual_ns, 0, "no record covers it: wall less the union of all records",
      total.residual_ns > total.wall_ns / 20 ? word_tone::doubt : word_tone::plain);
  if (total.caller.passes == total.passes)
    row("of it the caller ran", total.caller.residual_run_ns, 0,
        fmt::format("at least, and at most {}, by the kernel's account: of {} off its core at most "
                    "{} lay outside of its calls that wait; {} of {} passes leave no room for more",
                    share_words(total.caller.residual_run_most_ns, total.wall_ns),
                    duration_words(total.caller.off_core_ns),
                    duration_words(total.caller.off_core_outside_ns),
                    with_separators(total.caller.settled_passes), with_separators(total.passes)),
        word_tone::plain);
  else
    open("of it the caller ran",
         fmt::format("unmeasured: the kernel's account was read in {} of {} passes",
                     with_separators(total.caller.passes), with_separators(total.passes)));
  if (total.overhead.passes == total.passes)
    row("of it overhead", total.overhead.residual_ns, 0, overhead_words(total), word_tone::plain);
  else
    open("of it overhead", overhead_words(total));
  if (total.memory.calls > 0 && total.memory.untimed_calls == 0)
    row("of it allocation", total.memory.residual_ns, 0, allocation_words(total), word_tone::plain);
  row("wall", total.wall_ns, 0,
      fmt::format("{} passes by the harness's stamps; device busy {}, idle {}",
                  with_separators(total.passes), share_words(total.device_busy_ns, total.wall_ns),
                  share_words(total.wall_ns - total.device_busy_ns, total.wall_ns)),
      word_tone::plain);
}

}  // namespace

std::string share_words(std::int64_t part, std::int64_t whole) {
  if (whole <= 0) return "-";
  return fmt::format("{:.2f} %", static_cast<double>(part) * 100.0 / static_cast<double>(whole));
}

std::string launch_words(const model::launch_class& which) {
  const std::string name =
      model::launch_name(which, [](std::int64_t amount) { return with_separators(amount); });
  const bool tells_nothing = !which.is_rest && which.weight_bytes == 0 && !which.reads_kv;
  return tells_nothing ? name + ", tells nothing read" : name;
}

std::string tier_words(const model::investigation& report) {
  if (report.cache_bytes <= 0)
    return "The trace states no cache's size: whether memory or a cache served these reads it does "
           "not say.";
  const model::step_read_set reads = model::step_reads(report.decode);
  const std::string cache = with_separators(report.cache_bytes);
  const model::read_tier tier = model::tier_of(reads.bytes, report.cache_bytes);
  if (tier == model::read_tier::unknown)
    return fmt::format(
        "What a step reads is not told, so whether the largest cache, of {} B, served "
        "it is open.",
        cache);
  const bool is_beyond = tier == model::read_tier::memory;
  return fmt::format(
      "Tier: a step reads {} B {}, {} the largest cache of {} B: {}.", with_separators(reads.bytes),
      reads.is_told ? "by the records" : "of weights by the ledger",
      is_beyond ? "three times or more" : "less than three times", cache,
      is_beyond ? "memory served it"
                : "a cache may have served any of these launches, and a share of the ceiling is "
                  "none of memory");
}

word_table time_table(const model::investigation& report) {
  word_table table{"time", "Where the time went", {}, {}, {}, {}};
  table.columns = {{"pass"},           {"part"},         {"time", true}, {"share", true},
                   {"per pass", true}, {"hidden", true}, {"what it is"}};
  table.absence = "The trace holds no prefill and no decode step.";
  add_pass_rows(table, "decode", report.decode);
  add_pass_rows(table, "prefill", report.prefill);
  if (table.rows.empty()) return table;
  table.notes.push_back(
      "Each instant of a pass counts once, for the first part that fits; hidden is what ran "
      "beneath "
      "another part. The residual is computed apart from the parts, as wall less the union of all "
      "records. What the caller ran of it is no part: it says how much of the residual is the "
      "host's own code, and that it did not wait there.");
  const std::int64_t worst_ns = std::max(report.decode.closure_ns, report.prefill.closure_ns);
  table.notes.push_back(
      worst_ns == 0
          ? "Parts and residual add up to the wall time of every pass."
          : fmt::format(
                "PARTS AND RESIDUAL MISS THE WALL TIME of a pass by up to {}: this table is "
                "wrong.",
                duration_words(worst_ns)));
  return table;
}

namespace {

bool is_any_told(const model::pass_total& total) {
  return std::any_of(
      total.launches.begin(), total.launches.end(),
      [](const model::launch_line& each) { return each.weight_bytes > 0 || each.kv_bytes > 0; });
}

// Bytes that launches read, by the records, beside what the ledger expected.
std::string read_words(const model::investigation& report) {
  std::int64_t weight_bytes = 0;
  std::int64_t kv_bytes = 0;
  for (const model::pass_total* each : {&report.decode, &report.prefill})
    for (const model::launch_line& line : each->launches) {
      weight_bytes += std::min(line.weight_bytes, read_max_bytes);
      kv_bytes += std::min(line.kv_bytes, read_max_bytes);
    }
  std::string words = fmt::format("By the records, passes read {} B of weights and {} B of KV",
                                  with_separators(weight_bytes), with_separators(kv_bytes));
  bool has_ledger = false;
  for (const model::fact& each : report.audit.facts)
    if (each.name.find("expected") != std::string::npos &&
        each.name.find("reads") != std::string::npos) {
      words += fmt::format("; the ledger says, {}: {}", each.name, each.value);
      has_ledger = true;
    }
  return words + (has_ledger ? "." : "; the trace has no ledger of reads.");
}

// What the link that reads carry was measured to do; 0 where nobody did.
double read_ceiling(const model::investigation& report) {
  for (const model::bandwidth_line& each : report.bandwidths)
    if (each.is_read) return each.soft_bytes_per_s;
  return 0.0;
}

// What a launch read: by its records, or, where they tell nothing, by the plan. Of one that reads
// KV an older plan knows a part alone, and a rate of that part would be none.
double bytes_of(const model::launch_line& line) {
  const double told = static_cast<double>(line.weight_bytes) + static_cast<double>(line.kv_bytes);
  if (told > 0.0 || (line.has_planned_kv && line.planned_kv_bytes == 0)) return told;
  return static_cast<double>(line.planned_weight_bytes) +
         static_cast<double>(line.planned_kv_bytes);
}

word_cell bytes_cell(double bytes) {
  if (bytes <= 0.0) return {"-"};
  return {with_separators(static_cast<std::int64_t>(std::min(bytes, 9e18))) + " B", bytes};
}

word_row launch_row(const model::launch_line& line, std::int64_t wall_ns, double ceiling) {
  const double told = static_cast<double>(line.weight_bytes) + static_cast<double>(line.kv_bytes);
  const double bytes = bytes_of(line);
  const bool has_rate = bytes > 0.0 && line.busy_ns > 0;
  const double rate = has_rate ? bytes * 1e9 / static_cast<double>(line.busy_ns) : 0.0;
  const bool has_share = has_rate && ceiling > 0.0;
  const double share = has_share ? rate / ceiling : 0.0;
  const word_cell none{"-"};
  return {{{launch_words(line.which)},
           count_cell(line.launches),
           time_cell(line.on_path_ns),
           share_cell(line.on_path_ns, wall_ns),
           time_cell(line.busy_ns / static_cast<std::int64_t>(line.launches)),
           line.calls > 0 ? time_cell(line.call_ns / static_cast<std::int64_t>(line.calls)) : none,
           bytes_cell(told),
           bytes_cell(static_cast<double>(line.planned_weight_bytes)),
           has_rate ? word_cell{bandwidth_words(rate), rate} : none,
           has_share ? word_cell{fmt::format("{:.1f} %", share * 100.0), share} : none},
          word_tone::plain};
}

}  // namespace

word_table launches_table(const model::investigation& report) {
  word_table table{"launches", "Launches of decode steps", {}, {}, {}, {}};
  table.columns = {{"launch"},           {"launches", true},
                   {"time", true},       {"of decode", true},
                   {"per launch", true}, {"call", true},
                   {"read", true},       {"weights by the ledger", true},
                   {"read rate", true},  {"of the ceiling", true}};
  table.absence = "No launch was recorded in a decode step.";
  const double ceiling = read_ceiling(report);
  for (const model::launch_line& each : report.decode.launches)
    table.rows.push_back(launch_row(each, report.decode.wall_ns, ceiling));
  if (table.rows.empty()) return table;
  if (ceiling > 0.0)
    table.notes.push_back(fmt::format(
        "The ceiling is {}: what the harness's own reads were measured at in this run. A launch "
        "above it read from a cache, or did not read what it tells.",
        bandwidth_words(ceiling)));
  table.notes.push_back(tier_words(report));
  if (report.decode.named_passes > 0)
    table.notes.push_back(fmt::format(
        "Launches of {} of {} steps are named by their place in the step, of which the ledger "
        "plans "
        "{}{}.",
        with_separators(report.decode.named_passes), with_separators(report.decode.passes),
        with_separators(report.planned_launches),
        is_any_told(report.decode) ? "; each told as many bytes of weights as were planned for it"
                                   : "; no record tells what was read, so their number alone shows "
                                     "that they are those"));
  if (report.decode.graph_calls > 0)
    table.notes.push_back(fmt::format(
        "{} calls submitted several launches each, and took {} of the host; no launch has a part "
        "of "
        "that of its own.",
        with_separators(report.decode.graph_calls), duration_words(report.decode.graph_call_ns)));
  table.notes.push_back(read_words(report));
  return table;
}

word_table levels_table(const model::investigation& report) {
  word_table table{"levels", "Residency, KV and memory over time", {}, {}, {}, {}};
  table.columns = {{"level"},       {"samples", true}, {"first", true}, {"last", true},
                   {"least", true}, {"most", true},    {"against"}};
  table.absence = "The runtime published no level.";
  for (const model::level_line& each : report.levels) {
    const auto value = [&](std::int64_t amount) {
      const model::quantity quantity{true, false, amount, 0.0, {}};
      return word_cell{quantity_words(quantity, each.unit, "count"), static_cast<double>(amount)};
    };
    std::string against = "-";
    for (const model::counter_line& line : report.audit.counters)
      if (line.name == each.name) against = evidence(line);
    table.rows.push_back({{{each.name},
                           count_cell(each.samples),
                           value(each.first),
                           value(each.last),
                           value(each.least),
                           value(each.most),
                           {against}},
                          word_tone::plain});
  }
  return table;
}

word_table slowest_table(const model::investigation& report) {
  word_table table{"slowest", "Slowest decode steps", {}, {}, {}, {}};
  table.columns = {{"request", true}, {"step", true}, {"wall", true}};
  for (std::size_t at = 0; at < model::time_part_count; ++at)
    table.columns.push_back({std::string(to_string(static_cast<time_part>(at))), true});
  table.columns.push_back({"residual", true});
  table.absence = "The trace holds no decode step.";
  std::vector<const model::pass_line*> slowest;
  for (const model::pass_line& each : report.steps) slowest.push_back(&each);
  std::stable_sort(slowest.begin(), slowest.end(),
                   [](const auto* a, const auto* b) { return a->wall_ns > b->wall_ns; });
  if (slowest.size() > slowest_max) slowest.resize(slowest_max);
  for (const model::pass_line* step : slowest) {
    word_row row;
    row.cells = {count_cell(step->request), count_cell(step->index), time_cell(step->wall_ns)};
    for (const std::int64_t part : step->parts) row.cells.push_back(time_cell(part));
    row.cells.push_back(time_cell(step->residual_ns));
    table.rows.push_back(std::move(row));
  }
  return table;
}

word_table bandwidth_table(const model::investigation& report) {
  using model::bandwidth_verdict;
  word_table table{"bandwidth", "Bandwidths", {}, {}, {}, {}};
  table.columns = {{"verdict"},
                   {"subject"},
                   {"by"},
                   {"bytes", true},
                   {"time", true},
                   {"quotient", true},
                   {"link"},
                   {"measured ceiling", true},
                   {"hard ceiling", true},
                   {"why unmeasured"}};
  table.absence = "No transfer, and no counter that claims a bandwidth.";
  const auto ceiling = [](double bytes_per_s) {
    return bytes_per_s > 0.0 ? word_cell{bandwidth_words(bytes_per_s), bytes_per_s}
                             : word_cell{"-"};
  };
  for (const model::bandwidth_line& each : report.bandwidths) {
    const word_tone tone = each.verdict == bandwidth_verdict::impossible       ? word_tone::bad
                           : each.verdict == bandwidth_verdict::above_measured ? word_tone::doubt
                           : each.verdict == bandwidth_verdict::plausible      ? word_tone::good
                                                                               : word_tone::calm;
    table.rows.push_back({{{std::string(to_string(each.verdict))},
                           {each.subject},
                           {each.is_claim ? "counter" : "records"},
                           quantity_cell(each.bytes, "bytes"),
                           quantity_cell(each.time_ns, "ns"),
                           quantity_cell(each.bytes_per_s, "bytes_per_s"),
                           {each.link.empty() ? "-" : each.link},
                           ceiling(each.soft_bytes_per_s),
                           ceiling(each.hard_bytes_per_s),
                           {each.reason.empty() ? "-" : each.reason}},
                          tone});
  }
  return table;
}

word_table threads_table(const model::investigation& report) {
  word_table table{"threads", "A second account: the kernel's, of each thread", {}, {}, {}, {}};
  table.columns = {
      {"thread"},       {"time", true},     {"ran", true},     {"waited for a core", true},
      {"asleep", true}, {"recorded", true}, {"differs", true}, {"what is compared"}};
  table.absence = "No thread was read twice: the trace has no second account.";
  if (!report.threads.empty())
    table.notes.push_back(
        "Of a worker, the time that it ran stands beside the length of its device records: "
        "spinning "
        "makes it run longer, losing its core within a record makes it run less. Of the caller, "
        "its "
        "sleep stands beside its calls that wait.");
  for (const model::thread_line& each : report.threads) {
    const bool is_named = each.records > 0;
    table.rows.push_back({{{fmt::format("{} {}", each.is_worker ? "worker" : "caller", each.tid)},
                           time_cell(each.wall_ns),
                           time_cell(each.run_ns),
                           time_cell(each.wait_ns),
                           time_cell(each.asleep_ns),
                           is_named ? time_cell(each.recorded_ns) : word_cell{"-"},
                           is_named ? time_cell(each.differs_ns) : word_cell{"-"},
                           {!is_named        ? "no record names this thread"
                            : each.is_worker ? "ran, less its device records"
                                             : "asleep, less its calls that wait"}},
                          word_tone::plain});
  }
  return table;
}

word_table links_table(const model::investigation& report) {
  word_table table{"links", "Links, as they were probed during the run", {}, {}, {}, {}};
  table.columns = {{"link"},       {"samples", true}, {"first", true},
                   {"last", true}, {"least", true},   {"most", true}};
  table.absence = "No link was probed.";
  const auto rate = [](double bytes_per_s) {
    return word_cell{bandwidth_words(bytes_per_s), bytes_per_s};
  };
  for (const model::link_line& each : report.links)
    table.rows.push_back({{{each.link},
                           count_cell(each.samples),
                           rate(each.first_bytes_per_s),
                           rate(each.last_bytes_per_s),
                           rate(each.least_bytes_per_s),
                           rate(each.most_bytes_per_s)},
                          word_tone::plain});
  return table;
}

}  // namespace assay::reports
