// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/attribution/blind_spots.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "probes/trace/condition.h"
#include "reports/model/outcome.h"

namespace assay::attribution {
namespace {

class list {
 public:
  void say(bool is_so, std::string sentence) {
    if (is_so) lines_.push_back(std::move(sentence));
  }
  /// "3 things …", where there are some.
  void count(std::uint64_t number, std::string_view what) {
    if (number > 0) lines_.push_back(fmt::format("{} {}", number, what));
  }
  std::vector<std::string> lines_;
};

bool has_fact(const model::audit_report& audit, std::string_view word) {
  return std::any_of(audit.facts.begin(), audit.facts.end(), [&](const model::fact& each) {
    return each.name.find(word) != std::string::npos;
  });
}

bool is_gpu(const model::audit_report& audit) {
  return std::any_of(audit.ceilings.begin(), audit.ceilings.end(), [](const auto& each) {
    return each.link == "pcie" || each.link == "device_read";
  });
}

void say_defects(list& to, const pass_defects& defects) {
  to.count(defects.backward_passes,
           "passes end before they begin: a clock went backwards, and they are left out");
  to.count(defects.early_passes,
           "passes begin before one before them had ended: a clock jumped, and times, sums and "
           "tokens a second hold its jump");
  to.count(defects.unended_passes, "passes have no end in the trace and are left out");
  to.count(defects.oversized_passes,
           "passes hold more records than are held at once; their time is not attributed");
  to.count(defects.untimed_records, "device records have no times: what they did is in no part");
  to.count(defects.backward_records, "device records end before they begin and are in no part");
  to.count(defects.orphans,
           "device records have no call in the trace: the gap before them cannot be seen");
}

void say_counters(list& to, const model::audit_report& audit) {
  std::map<std::string, std::vector<std::string>> by_reason;
  for (const model::counter_line& line : audit.counters)
    if (line.verdict == model::verdict::unmeasured || line.verdict == model::verdict::undecided)
      by_reason[line.reason.empty() ? line.claimed.absence : line.reason].push_back(line.name);
  for (const auto& [reason, names] : by_reason) {
    std::string listed;
    for (const std::string& name : names) listed += (listed.empty() ? "" : ", ") + name;
    to.say(true, fmt::format("Whether {} {} right: {}", listed, names.size() == 1 ? "is" : "are",
                             reason.empty() ? "no reason was given" : reason));
  }
  for (const model::gate_line& gate : audit.gates)
    to.say(!gate.holds, fmt::format("Anything that rests on gate {} {}: {}", gate.id, gate.name,
                                    gate.detail.empty() ? "it does not hold" : gate.detail));
}

void say_operators(list& to, const model::investigation& report) {
  const auto& decode = report.decode;
  const std::uint64_t open = decode.passes - std::min(decode.named_passes, decode.passes);
  to.say(!decode.launches.empty() && report.planned_launches == 0,
         "Which operator a launch was: the trace has no plan of a step; launches are told apart by "
         "what they read");
  to.say(report.planned_launches > 0 && open > 0,
         fmt::format("Which operator a launch was in {} decode steps: they did not launch what the "
                     "ledger planned",
                     open));
  to.say(!report.prefill.launches.empty(),
         "Which operator a launch of a prefill was: the plan is that of a decode step");
  to.say(decode.graph_calls > 0,
         fmt::format("What submitting one operator took in {} calls: each submitted several",
                     decode.graph_calls));
  to.say(std::any_of(decode.launches.begin(), decode.launches.end(),
                     [](const model::launch_line& each) {
                       return each.has_planned_kv && each.kv_bytes == 0 &&
                              each.planned_kv_bytes == 0;
                     }),
         "How many bytes of KV a launch read: no record tells it, and the plan names the launches "
         "alone");
}

bool has_products(const model::roofline_point& each) {
  return each.operations.is_present && each.operations.integer > 0;
}

void say_roofline(list& to, const model::investigation& report) {
  const auto& points = report.roof.points;
  if (points.empty()) return;
  if (std::none_of(points.begin(), points.end(), has_products))
    return to.say(true,
                  "How much arithmetic each launch did: the trace plans no operations, so that a "
                  "roofline has its memory side only");
  std::map<std::string, std::string> by_reason;
  std::uint64_t planned_prefills = 0;
  for (const model::roofline_point& each : points) {
    if (each.is_prefill) planned_prefills += each.launches;
    to.say(!each.is_total && has_products(each) && each.ledger_bytes.is_present &&
               each.told_bytes.is_present && each.ledger_bytes.integer != each.told_bytes.integer,
           fmt::format("Whether {} did what was planned, its operations included: its records tell "
                       "{} bytes read, and the ledger plans {}",
                       each.which.op, each.told_bytes.integer, each.ledger_bytes.integer));
    if (!has_products(each) || each.roof_ratio.is_present) continue;
    std::string& names = by_reason[each.roof_ratio.absence];
    names += (names.empty() ? "" : ", ") + (each.is_prefill ? "prefill"
                                            : each.is_total ? "decode"
                                                            : each.which.op);
  }
  const std::uint64_t prefills =
      report.prefill.passes - std::min(report.prefill.passes, planned_prefills);
  to.say(planned_prefills > 0 && prefills > 0,
         fmt::format("How much arithmetic {} prefill{} did: the trace plans no request for {}",
                     prefills, prefills == 1 ? "" : "s", prefills == 1 ? "it" : "them"));
  for (const auto& [reason, names] : by_reason)
    to.say(true, fmt::format("How near to its roof was {}: {}", names, reason));
  to.say(true,
         "How much arithmetic norms, rotations, softmax and activations did: the plan counts "
         "products alone");
}

void say_staging(list& to, std::string_view where, const model::pass_total& total) {
  const std::string what =
      fmt::format("How long bytes were staged before a copy in {}: no record tells it", where);
  if (total.unbounded_copies > 0)
    return to.say(true, fmt::format("{}, and of {} copies no call that would bound it", what,
                                    total.unbounded_copies));
  to.say(total.copy_calls > 0,
         fmt::format("{}; inside of {} copy calls {} ns at most, which lie in submission where the "
                     "device was idle",
                     what, total.copy_calls, total.copy_call_ns));
}

void say_attribution(list& to, const model::investigation& report, const pass_fold& passes) {
  const auto& decode = report.decode;
  to.say(decode.passes == 0, "Where a decode step's time went: the trace holds no decode step");
  say_operators(to, report);
  say_staging(to, "prefills", report.prefill);
  say_staging(to, "decode steps", decode);
  to.say(decode.memory.untimed_calls > 0 && decode.allocations > 0,
         fmt::format("How long {} allocations in decode steps took: the trace stamps moments",
                     decode.allocations));
  to.say(!passes.clock().is_sampled(),
         "How the device's clock lies to the host's: no clock sample; the two were taken for one");
  to.say(report.threads.empty(),
         "Whether a second account divides the time alike: no thread was read twice");
  to.say(decode.passes > 0,
         "What the host did in the residual: no record covers it; the kernel's account of the "
         "calling thread does, without its place in a step");
  to.say(decode.passes > 0 && !passes.tells_overheads(),
         "What of the residual the recorder or a driver took for itself: no record tells it");
  to.say(report.latencies.size() > 1 && report.latencies[1].samples == 0,
         "The time between tokens: no two tokens of one request are in the trace");
}

void say_conditions(list& to, const model::investigation& report) {
  const auto& lines = report.conditions;
  const auto is_any = [&](bool is_of_gpu) {
    return std::any_of(lines.begin(), lines.end(),
                       [&](const auto& each) { return each.is_of_gpu == is_of_gpu; });
  };
  to.say(!is_any(false),
         "What state the machine was in, whether its clocks were throttled or its cores taken: the "
         "trace holds no sample of it");
  to.say(is_gpu(report.audit) && !is_any(true),
         "The GPU's clocks under load, and what held them down: the trace holds no sample of them");
  std::string missing;
  for (const trace::condition_row& row : trace::condition_rows()) {
    const bool is_known = std::any_of(lines.begin(), lines.end(),
                                      [&](const auto& each) { return each.name == row.name; });
    if (!is_known && is_any(row.is_of_gpu))
      missing += (missing.empty() ? "" : ", ") + std::string(row.name);
  }
  to.say(!missing.empty(), "Of the machine's state, " + missing +
                               ": the trace has neither a sample nor a reason why not");
  for (const model::condition_line& each : lines)
    to.say(each.samples == 0,
           fmt::format("Of the machine's state, {}: {}", each.name, each.absence));
}

}  // namespace

std::vector<std::string> blind_spots_of(const model::investigation& report, const pass_fold& passes,
                                        const std::vector<std::uint32_t>& broken_threads) {
  list to;
  const model::audit_report& audit = report.audit;
  to.say(!audit.is_complete, "What came after the trace was cut off: " + audit.incompleteness);
  say_defects(to, passes.defects());
  to.count(passes.backward_overheads(),
           "overheads of the recorder end before they begin and are in no part");
  say_attribution(to, report, passes);
  for (const std::uint32_t tid : broken_threads)
    to.say(true, fmt::format("Whether a second account divides the time alike: that of thread {} "
                             "went back, or ran ahead of the clock",
                             tid));
  for (const model::bandwidth_line& line : report.bandwidths)
    to.say(line.verdict == model::bandwidth_verdict::unmeasured,
           fmt::format("Whether the bandwidth of {} can be: {}", line.subject, line.reason));
  say_counters(to, audit);
  say_roofline(to, report);
  to.say(report.cache_bytes == 0,
         "Whether a launch was served by a cache: the trace states no cache's size");
  say_conditions(to, report);
  to.say(!has_fact(audit, "observer cost, measured"),
         "What observing cost this run: it has no arm without the observer; assay audit "
         "--observer-cost has");
  if (const std::string cost = value_of(audit.facts, "observer cost, measured");
      cost.starts_with("not measured"))
    to.say(true, "What observing cost this run: " + cost);
  return std::move(to.lines_);
}

}  // namespace assay::attribution
