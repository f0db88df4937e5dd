// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/json/investigation_json.h"

#include <cmath>

#include <nlohmann/json.hpp>

#include "reports/json/audit_json.h"
#include "reports/model/step_sample.h"

namespace assay::reports {
namespace {

using json = nlohmann::ordered_json;

// Bumped when a key changes its meaning or goes; a new key does not bump it.
constexpr int schema_version = 1;
constexpr int difference_schema_version = 2;

json absent(const std::string& why) {
  json out = json::object();
  out["absence"] = why.empty() ? "absent, and no reason was given" : why;
  return out;
}

json quantity_json(const model::quantity& quantity) {
  json out = json::object();
  if (!quantity.is_present) return absent(quantity.absence);
  if (quantity.is_real && !std::isfinite(quantity.real)) return absent("not a finite number");
  if (quantity.is_real)
    out["value"] = quantity.real;
  else
    out["value"] = quantity.integer;
  return out;
}

// A ceiling of 0 means unknown.
json ceiling_json(double bytes_per_s) {
  if (bytes_per_s <= 0.0) return absent("no ceiling is known");
  return quantity_json(
      {.is_present = true, .is_real = true, .integer = 0, .real = bytes_per_s, .absence = {}});
}

json parts_json(const model::part_times_ns& parts) {
  json out = json::object();
  constexpr std::array<const char*, model::time_part_count> keys{
      "compute_ns", "h2d_ns",         "d2h_ns",        "d2d_ns",
      "events_ns",  "launch_gaps_ns", "submission_ns", "synchronisation_ns"};
  for (std::size_t at = 0; at < keys.size(); ++at) out[keys[at]] = parts[at];
  return out;
}

json to_object(const model::launch_line& line) {
  json out;
  if (!line.which.op.empty()) out["operator"] = line.which.op;
  const json more{{"range", line.which.range},
                  {"weight_bytes_each", line.which.weight_bytes},
                  {"reads_kv", line.which.reads_kv},
                  {"blocks_count", line.which.blocks},
                  {"is_rest", line.which.is_rest},
                  {"launches_count", line.launches},
                  {"on_path_ns", line.on_path_ns},
                  {"busy_ns", line.busy_ns},
                  {"weight_bytes", line.weight_bytes},
                  {"kv_bytes", line.kv_bytes},
                  {"planned_weight_bytes", line.planned_weight_bytes},
                  {"has_planned_kv", line.has_planned_kv},
                  {"calls_count", line.calls},
                  {"call_ns", line.call_ns},
                  {"counted_launches_count", line.counted_launches},
                  {"operations", line.operations},
                  {"planned_kv_bytes", line.planned_kv_bytes}};
  out.update(more);
  return out;
}

json to_object(const model::roofline_point& point) {
  json out;
  if (point.is_prefill)
    out["operator"] = "prefill";
  else if (point.is_total)
    out["operator"] = "decode";
  else if (!point.which.op.empty())
    out["operator"] = point.which.op;
  const json more{{"range", point.which.range},
                  {"is_prefill", point.is_prefill},
                  {"is_total", point.is_total},
                  {"launches_count", point.launches},
                  {"busy_ns", point.busy_ns},
                  {"lengths_ns", point.lengths_ns},
                  {"arithmetic", point.is_by_several ? "several" : to_string(point.by)},
                  {"operations", quantity_json(point.operations)},
                  {"ledger_bytes", quantity_json(point.ledger_bytes)},
                  {"told_bytes", quantity_json(point.told_bytes)},
                  {"ledger_operations_per_byte", quantity_json(point.ledger_intensity)},
                  {"told_operations_per_byte", quantity_json(point.told_intensity)},
                  {"operations_per_s", quantity_json(point.operations_per_s)},
                  {"roof_operations_per_s", quantity_json(point.roof_operations_per_s)},
                  {"roof_ratio", quantity_json(point.roof_ratio)},
                  {"bound", to_string(point.bound)}};
  out.update(more);
  return out;
}

json to_object(const model::arithmetic_line& line) {
  return {{"arithmetic", to_string(line.by)},
          {"operations_per_s", quantity_json(line.operations_per_s)},
          {"samples_count", line.samples},
          {"how", line.how},
          {"ridge_operations_per_byte", quantity_json(line.ridge_intensity)}};
}

json to_object(const model::pass_line& line) {
  return {{"request", line.request},         {"index", line.index},
          {"begin_ns", line.begin_ns},       {"wall_ns", line.wall_ns},
          {"parts", parts_json(line.parts)}, {"residual_ns", line.residual_ns},
          {"launches_count", line.launches}, {"read_bytes", line.read_bytes}};
}

json to_object(const model::latency_line& line) {
  json out{{"name", line.name}, {"samples_count", line.samples}};
  if (line.samples == 0) {
    out["absence"] = line.absence;
    return out;
  }
  out["least_ns"] = line.least_ns;
  out["p50_ns"] = line.p50_ns;
  out["p90_ns"] = line.p90_ns;
  out["p99_ns"] = line.p99_ns;
  out["most_ns"] = line.most_ns;
  return out;
}

json to_object(const model::thread_line& line) {
  return {{"tid", line.tid},
          {"is_worker", line.is_worker},
          {"intervals_count", line.intervals},
          {"wall_ns", line.wall_ns},
          {"run_ns", line.run_ns},
          {"wait_ns", line.wait_ns},
          {"asleep_ns", line.asleep_ns},
          {"recorded_ns", line.recorded_ns},
          {"records_count", line.records},
          {"differs_ns", line.differs_ns}};
}

json to_object(const model::bandwidth_line& line) {
  return {{"subject", line.subject},
          {"is_claim", line.is_claim},
          {"bytes", quantity_json(line.bytes)},
          {"time_ns", quantity_json(line.time_ns)},
          {"bytes_per_s", quantity_json(line.bytes_per_s)},
          {"link", line.link},
          {"soft_bytes_per_s", ceiling_json(line.soft_bytes_per_s)},
          {"hard_bytes_per_s", ceiling_json(line.hard_bytes_per_s)},
          {"verdict", to_string(line.verdict)},
          {"reason", line.reason}};
}

json stretches_json(const std::vector<model::level_stretch>& stretches) {
  json out = json::array();
  for (const model::level_stretch& each : stretches)
    out.push_back({{"begin_ns", each.begin_ns}, {"least", each.least}, {"most", each.most}});
  return out;
}

json to_object(const model::flow_line& line) {
  return {{"name", line.name},
          {"unit", line.unit},
          {"steps_count", line.steps},
          {"total", line.total},
          {"least", line.least},
          {"most", line.most},
          {"stretches", stretches_json(line.stretches)}};
}

json to_object(const model::deviation_line& line) {
  return {{"name", line.name},
          {"unit", line.unit},
          {"against", line.against},
          {"is_near", line.is_near},
          {"windows_count", line.windows},
          {"unequal_count", line.unequal},
          {"total", line.total},
          {"least", line.least},
          {"most", line.most},
          {"worst_at_ns", line.worst_at_ns},
          {"stretches", stretches_json(line.stretches)}};
}

json to_object(const model::level_line& line) {
  json out{{"name", line.name},   {"unit", line.unit},
           {"kind", line.kind},   {"samples_count", line.samples},
           {"first", line.first}, {"last", line.last},
           {"least", line.least}, {"most", line.most}};
  out["stretches"] = stretches_json(line.stretches);
  return out;
}

json to_object(const model::link_line& line) {
  return {{"link", line.link},
          {"samples_count", line.samples},
          {"first_bytes_per_s", line.first_bytes_per_s},
          {"last_bytes_per_s", line.last_bytes_per_s},
          {"least_bytes_per_s", line.least_bytes_per_s},
          {"most_bytes_per_s", line.most_bytes_per_s}};
}

json to_object(const model::condition_line& line) {
  json out{{"name", line.name},
           {"unit", line.unit},
           {"kind", line.kind},
           {"is_of_gpu", line.is_of_gpu},
           {"samples_count", line.samples}};
  if (line.samples == 0) {
    out["absence"] = line.absence;
    return out;
  }
  out["samples_in_passes_count"] = line.samples_in_passes;
  out["first"] = line.first;
  out["last"] = line.last;
  out["least"] = line.least;
  out["most"] = line.most;
  out["gained"] = line.gained;
  out["has_bound"] = line.has_bound;
  out["is_flagged"] = line.is_flagged;
  out["reads_as"] = line.reads_as;
  out["stretches"] = stretches_json(line.stretches);
  return out;
}

json to_object(const model::exact_difference& row) {
  return {{"subject", row.subject},
          {"unit", row.unit},
          {"first", quantity_json(row.first)},
          {"second", quantity_json(row.second)},
          {"verdict", to_string(row.verdict)}};
}

json to_object(const model::timed_difference& row) {
  json out{{"subject", row.subject},     {"is_launch", row.is_launch},
           {"is_paced", row.is_paced},   {"first_ns", row.first_ns},
           {"second_ns", row.second_ns}, {"change_ns", row.change_ns},
           {"margin_ns", row.margin_ns}, {"verdict", to_string(row.verdict)}};
  if (row.has_interval)
    out["interval"] = {{"low_ns", row.low_ns}, {"high_ns", row.high_ns}};
  else
    out["interval"] = absent("too few runs, or stretches of aligned steps");
  return out;
}

json to_object(const model::fact_difference& row) {
  return {{"name", row.name}, {"first", row.first}, {"second", row.second}};
}

json to_object(const model::run_line& row) {
  return {{"side", row.is_second ? "second" : "first"},
          {"number", row.number},
          {"outcome", to_string(row.audit)},
          {"rules", row.rules},
          {"step_ns", row.step_ns}};
}

json to_object(const model::step_pair& row) {
  return {{"first_wall_ns", row.first_wall_ns}, {"second_wall_ns", row.second_wall_ns}};
}

template <class Row>
json to_array(const std::vector<Row>& rows) {
  json out = json::array();
  for (const Row& row : rows) out.push_back(to_object(row));
  return out;
}

json overheads_json(const std::array<model::overhead_line, model::overhead_count>& lines) {
  json out = json::array();
  for (std::size_t what = 0; what < lines.size(); ++what)
    if (lines[what].spans > 0)
      out.push_back({{"what", model::overhead_word(what)},
                     {"spans_count", lines[what].spans},
                     {"busy_ns", lines[what].busy_ns}});
  return out;
}

json overhead_json(const model::pass_overhead& overhead) {
  json out{{"passes_count", overhead.passes}};
  if (overhead.passes == 0) {
    out["absence"] = "no recorder of this run tells what it does for itself";
    return out;
  }
  out["caller_ns"] = overhead.caller_ns;
  out["residual_ns"] = overhead.residual_ns;
  out["of_caller"] = overheads_json(overhead.of_caller);
  out["of_others"] = overheads_json(overhead.of_others);
  return out;
}

json to_object(const model::pass_total& total) {
  json out{{"passes_count", total.passes},           {"wall_ns", total.wall_ns},
           {"parts", parts_json(total.parts)},       {"busy", parts_json(total.busy_ns)},
           {"residual_ns", total.residual_ns},       {"closure_ns", total.closure_ns},
           {"device_busy_ns", total.device_busy_ns}, {"graph_calls_count", total.graph_calls},
           {"graph_call_ns", total.graph_call_ns},   {"named_passes_count", total.named_passes}};
  json allocation{{"moments_count", total.allocations}};
  if (total.memory.untimed_calls > 0 && total.allocations > 0) {
    allocation["absence"] = "the trace stamps moments, not lengths";
  } else if (total.memory.calls > 0) {
    allocation["value"] = total.memory.call_ns;
    allocation["residual_ns"] = total.memory.residual_ns;
    allocation["calls_count"] = total.memory.calls;
  } else {
    allocation["value"] = 0;
  }
  json staging{{"copy_calls_count", total.copy_calls}, {"copy_call_ns", total.copy_call_ns}};
  if (total.unbounded_copies > 0) {
    staging["unbounded_copies_count"] = total.unbounded_copies;
    staging["absence"] = "no record tells staging, and copies have no call that would bound it";
  } else if (total.copy_calls > 0) {
    staging["at_most"] = total.copy_call_ns;
    staging["absence"] = "no record tells staging";
  } else {
    staging["value"] = 0;
  }
  out["allocation_ns"] = allocation;
  out["staging_ns"] = staging;
  json caller{{"passes_count", total.caller.passes}};
  if (total.caller.passes > 0) {
    caller["between_ns"] = total.caller.between_ns;
    caller["run_ns"] = total.caller.run_ns;
    caller["off_core_ns"] = total.caller.off_core_ns;
    caller["wait_ns"] = total.caller.wait_ns;
    caller["residual_ns"] = total.caller.residual_ns;
    caller["calls_that_wait_ns"] = total.caller.calls_ns;
    caller["settled_passes_count"] = total.caller.settled_passes;
    caller["off_core_outside_calls_at_most_ns"] = total.caller.off_core_outside_ns;
    caller["residual_run_at_least_ns"] = total.caller.residual_run_ns;
    caller["residual_run_at_most_ns"] = total.caller.residual_run_most_ns;
  } else {
    caller["absence"] = "the kernel's account of the caller was not read around passes";
  }
  out["caller"] = caller;
  out["overhead"] = overhead_json(total.overhead);
  out["launches"] = to_array(total.launches);
  return out;
}

json to_object(const model::investigation& report, model::outcome outcome) {
  json out{{"schema_version", schema_version},
           {"outcome", to_string(outcome)},
           {"exit_code", static_cast<int>(outcome)}};
  out["tokens_per_s"] = quantity_json(report.tokens_per_s);
  out["planned_launches_count"] = report.planned_launches;
  out["cache_bytes"] = report.cache_bytes > 0 ? json{{"value", report.cache_bytes}}
                                              : absent("the trace states no cache's size");
  out["latencies"] = to_array(report.latencies);
  out["decode"] = to_object(report.decode);
  out["prefill"] = to_object(report.prefill);
  const auto shown = model::sampled_steps(report.steps);
  out["steps_count"] = report.steps.size();
  out["steps"] = json::array();
  for (const std::size_t at : shown) out["steps"].push_back(to_object(report.steps[at]));
  out["roofline"] = {{"read_bytes_per_s", ceiling_json(report.roof.read_bytes_per_s)},
                     {"tier", to_string(report.roof.tier)},
                     {"arithmetic", to_array(report.roof.arithmetic)},
                     {"points", to_array(report.roof.points)}};
  out["threads"] = to_array(report.threads);
  out["bandwidths"] = to_array(report.bandwidths);
  out["links"] = to_array(report.links);
  out["levels"] = to_array(report.levels);
  out["flows"] = to_array(report.flows);
  out["deviations"] = to_array(report.deviations);
  out["conditions"] = to_array(report.conditions);
  out["blind_spots"] = report.blind_spots;
  out["audit"] = json::parse(audit_as_json(report.audit, outcome));
  return out;
}

std::string text_of(const json& what) {
  return what.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string investigation_as_json(const model::investigation& report, model::outcome outcome) {
  return text_of(to_object(report, outcome));
}

std::string difference_as_json(const model::investigation_difference& report,
                               model::outcome outcome) {
  json out{{"schema_version", difference_schema_version},
           {"outcome", to_string(outcome)},
           {"exit_code", static_cast<int>(outcome)},
           {"aligned_steps_count", report.aligned_steps},
           {"other_work_steps_count", report.other_work_steps},
           {"one_sided_steps_count", report.one_sided_steps},
           {"repeats_count", report.repeats},
           {"level_ratio", report.level_ratio},
           {"token_ids", to_string(report.token_ids)}};
  out["runs"] = to_array(report.runs);
  out["times"] = to_array(report.times);
  out["counts"] = to_array(report.counts);
  out["facts"] = to_array(report.facts);
  out["pairs"] = to_array(report.pairs);
  out["blind_spots"] = report.blind_spots;
  out["first"] = to_object(report.first, model::outcome_of(report.first.audit));
  out["second"] = to_object(report.second, model::outcome_of(report.second.audit));
  return text_of(out);
}

}  // namespace assay::reports
