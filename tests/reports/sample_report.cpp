// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/reports/sample_report.h"

#include <utility>

namespace assay::reports {
namespace {

using model::counter_line;
using model::reference;
using model::verdict;

reference seen(std::string source, std::string relation, model::quantity observed, bool holds) {
  reference r;
  r.source = std::move(source);
  r.relation = std::move(relation);
  r.observed = std::move(observed);
  r.compared_windows = 12;
  r.holds = holds;
  return r;
}

// What the counter claimed where the reference compared is not all that it claimed.
reference of_claimed(model::quantity claimed, reference r) {
  r.claimed = std::move(claimed);
  return r;
}

reference voided(std::string source, std::string reason) {
  reference r = seen(std::move(source), "near", number(1'000), false);
  r.is_void = true;
  r.void_reason = std::move(reason);
  return r;
}

reference idle(std::string source) {
  reference r;
  r.source = std::move(source);
  r.relation = "equal";
  r.observed = absent("no window had one");
  return r;
}

counter_line line(std::string name, std::string unit, std::string kind, model::quantity claimed,
                  std::vector<reference> references, verdict v, std::string reason = {}) {
  return {std::move(name),    std::move(unit),       std::move(kind),
          std::move(claimed), std::move(references), v,
          std::move(reason)};
}

std::vector<counter_line> counters() {
  return {
      line("runtime.weights.h2d_bytes", "bytes", "count", number(7'012'352),
           {seen("device records", "equal", number(7'012'352), true),
            seen("ledger", "equal", number(7'012'352), true)},
           verdict::agree),
      line("runtime.weights.h2d_ns", "ns", "duration", number(38'200),
           {of_claimed(number(37'900), seen("device records", "near", number(1'724'311), false)),
            idle("host span")},
           verdict::disagree, "R01"),
      line("runtime.weights.h2d_bytes_per_s", "bytes_per_s", "rate", real(12.3456e9),
           {voided("device records", "G1: span above the host's")}, verdict::undecided,
           "G1 failed for what it rests on"),
      line("runtime.arena.peak_bytes", "bytes", "peak", number(9'437'184),
           {seen("device records", "equal", number(9'437'184), true),
            seen("process", "at most", number(33'554'432), true)},
           verdict::agree),
      line("runtime.sampling.random_draws_count", "count", "count",
           absent("not applicable: greedy decoding draws no random number"), {},
           verdict::unmeasured, "nothing to measure"),
      line("runtime.engine.decode_tokens_per_s", "tokens_per_s", "rate", real(2'113.4),
           {seen("host span", "near", real(2'109.9), true),
            seen("oracle", "at least", real(100.0), true)},
           verdict::agree),
  };
}

model::finding finding(std::string rule, std::string name, model::severity severity,
                       std::string subject, std::string message) {
  model::finding f;
  f.rule = std::move(rule);
  f.rule_name = std::move(name);
  f.severity = severity;
  f.subject = std::move(subject);
  f.message = std::move(message);
  f.claimed = absent("");
  f.observed = absent("");
  return f;
}

std::vector<model::finding> findings() {
  auto enqueue = finding("R01", "enqueue_timed", model::severity::critical,
                         "runtime.weights.h2d_ns", "The counter timed the enqueue, not the copy.");
  enqueue.claimed = number(38'200);
  enqueue.observed = number(1'724'311);
  enqueue.likely_cause = "the time of the submitting calls, 37.9 µs in all";
  enqueue.explanations = {
      {"R01", "enqueue_timed", "the time of the submitting calls, 37.9 µs in all", 0.0},
      {"R22", "wrong_base", "/ 46: divided by the tensors", 0.0125}};
  enqueue.where = "load 0";
  enqueue.window_count = 1;
  auto rate = finding("R02", "impossible_bandwidth", model::severity::critical,
                      "runtime.weights.h2d_ns", "The time makes a rate that no link carries.");
  rate.claimed = real(183.6e9);
  rate.observed = real(13.2e9);
  rate.unit = "bytes_per_s";
  auto late = finding("R16", "monotonic", model::severity::error, "runtime.engine.itl_ns",
                      "The counter went back by 17 ns.");
  late.claimed = number(-17);
  late.where = "decode step 3 of request 1";
  late.window_count = 12;
  return {enqueue, rate, late,
          finding("R15", "coverage", model::severity::warning, "copy d2d",
                  "4,096 bytes moved that no counter claims.")};
}

}  // namespace

model::quantity number(std::int64_t value) {
  return {.is_present = true, .is_real = false, .integer = value, .real = 0.0, .absence = {}};
}

model::quantity real(double value) {
  return {.is_present = true, .is_real = true, .integer = 0, .real = value, .absence = {}};
}

model::quantity absent(std::string reason) {
  model::quantity q;
  q.absence = std::move(reason);
  return q;
}

model::audit_report sample_report() {
  model::audit_report report;
  report.facts = {{"checkpoint", "scenarios/embedded/micro-qwen3"}, {"device", "host"}};
  report.counters = counters();
  report.findings = findings();
  report.rules = {{"R01", "enqueue_timed", 1'204, 1},
                  {"R04", "bytes_mismatch", 5'120, 0},
                  {"R14", "phantom", 0, 0},
                  {"R10", "unit_suspect", 0, 0, true},
                  {"R22", "wrong_base", 1, 1, true}};
  report.gates = {{"G1", "triangle", false, 1'204, "device span above the host span in load 0"},
                  {"G2", "sentinels", true, 6, ""}};
  report.unclaimed = {{"copy d2d, no range", 3, 4'096, 2'310}};
  report.ceilings = {{"host_memcpy", 13.2e9, 0.0, 96, "no physical bound is known here"}};
  report.record_count = 120'431;
  report.window_count = 88;
  report.is_complete = true;
  return report;
}

model::audit_report clean_report() {
  model::audit_report report = sample_report();
  report.counters = {report.counters[0], report.counters[3]};
  report.findings.clear();
  report.unclaimed.clear();
  report.gates = {report.gates[1]};
  report.rules = {report.rules[1]};
  return report;
}

namespace {

model::roofline_point point_of(model::launch_class which, std::uint64_t launches,
                               std::int64_t busy_ns, model::quantity operations) {
  model::roofline_point point;
  point.which = std::move(which);
  point.launches = launches;
  point.busy_ns = point.lengths_ns = busy_ns;
  point.operations = std::move(operations);
  return point;
}

// Everything that a point without operations, or without products, has not.
model::roofline_point without_roof(model::roofline_point point, const std::string& why) {
  for (model::quantity* each :
       {&point.ledger_intensity, &point.told_intensity, &point.operations_per_s,
        &point.roof_operations_per_s, &point.roof_ratio})
    *each = absent(why);
  return point;
}

model::roofline_point bound_by_reads() {
  auto point = point_of({"gated_mlp", "compute", 4096, false, 0, false}, 6, 7'000, number(49'152));
  point.ledger_bytes = point.told_bytes = number(24'576);
  point.ledger_intensity = point.told_intensity = real(2.0);
  point.operations_per_s = real(7.0217e9);
  point.roof_operations_per_s = real(20e9);
  point.roof_ratio = real(0.351085);
  point.bound = model::roof_bound::reads;
  return point;
}

model::roofline_point bound_by_arithmetic() {
  auto point = point_of({"attention", "compute", 0, true, 0, false}, 2, 800, number(48'000));
  point.ledger_bytes = number(1'024);
  point.ledger_intensity = real(46.875);
  point.told_bytes = point.told_intensity = absent("no record tells what it read");
  point.operations_per_s = real(60e9);
  point.roof_operations_per_s = real(80e9);
  point.roof_ratio = real(0.75);
  point.bound = model::roof_bound::arithmetic;
  return point;
}

model::roofline_point decode_that_overlaps() {
  auto point = point_of({}, 2, 6'000, number(97'152));
  point.is_total = true;
  point.lengths_ns = 7'890;
  point.ledger_bytes = number(25'856);
  point.ledger_intensity = real(97'152.0 / 25'856.0);
  point.told_bytes = point.told_intensity = absent("no record tells what it read");
  point.operations_per_s = real(16.192e9);
  point.roof_operations_per_s = real(10e9 * 97'152.0 / 25'856.0);
  point.roof_ratio = real(0.430933);
  point.bound = model::roof_bound::reads;
  return point;
}

model::roofline_point prefill_without_ceiling() {
  auto point = without_roof(point_of({}, 1, 5'000, number(900'000)), "no matrix unit");
  point.is_prefill = point.is_total = true;
  point.by = telemetry::arithmetic::bf16_tensor;
  point.ledger_bytes = number(28'000);
  point.told_bytes = number(30'000);
  point.ledger_intensity = real(900.0 / 28.0);
  point.told_intensity = real(30.0);
  point.operations_per_s = real(180e12);
  return point;
}

}  // namespace

model::roofline sample_roof() {
  using telemetry::arithmetic;
  model::roofline roof;
  roof.read_bytes_per_s = 10e9;
  roof.tier = model::read_tier::cache;
  roof.arithmetic = {
      {arithmetic::f32_fma, real(80e9), 9, "by 64-byte registers", real(8.0)},
      {arithmetic::bf16_tensor, absent("no matrix unit"), 0, "", absent("no matrix unit")}};
  auto rotary =
      without_roof(point_of({"rotary", "compute", 128, false, 0, false}, 2, 90, number(0)),
                   "it has no products");
  rotary.ledger_bytes = rotary.told_bytes = number(256);
  const std::string unplanned = "no plan names this launch";
  auto unnamed = without_roof(
      point_of({"", "compute", 0, true, 0, false}, 2, 1'000, absent(unplanned)), unplanned);
  unnamed.ledger_bytes = absent(unplanned);
  unnamed.told_bytes = number(2'048);
  roof.points = {bound_by_reads(), bound_by_arithmetic(),  rotary,
                 unnamed,          decode_that_overlaps(), prefill_without_ceiling()};
  return roof;
}

}  // namespace assay::reports
