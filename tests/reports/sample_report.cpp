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

}  // namespace assay::reports
