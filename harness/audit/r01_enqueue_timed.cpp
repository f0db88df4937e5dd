// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/audit/r01_enqueue_timed.h"

#include <algorithm>

#include <fmt/format.h>

#include "harness/audit/mismatch.h"
#include "harness/audit/wording.h"

namespace assay::audit {
namespace {

// Shorter work is not told apart from its enqueue.
constexpr double work_min_ns = 20'000.0;
constexpr double work_share_max = 0.5;
constexpr double call_share = 0.25;
constexpr double call_slack_ns = 5'000.0;

bool is_eligible(const counter_evidence& counter) {
  return counter.spec.kind == telemetry::counter_kind::duration && counter.span_windows > 0 &&
         counter.busy_ns > work_min_ns * static_cast<double>(counter.span_windows) &&
         is_judgeable(counter) && has_trusted_work(counter);
}

// Whoever times enqueues reads a clock around each call, or once before the first and once after
// the last. A caller that lost its core around a call lands between the two.
bool is_between_calls(const counter_evidence& counter) {
  const double slack_ns = call_slack_ns * static_cast<double>(counter.span_windows);
  const double least = counter.call_ns - std::max(call_share * counter.call_ns, slack_ns);
  const double most = counter.enqueue_ns + std::max(call_share * counter.enqueue_ns, slack_ns);
  return counter.claimed_ns >= least && counter.claimed_ns <= most;
}

model::finding describe(const counter_evidence& counter) {
  model::finding found =
      finding_of("R01", "ENQUEUE_TIMED", model::severity::critical, counter.spec.name);
  const auto windows = static_cast<double>(counter.span_windows);
  found.message = fmt::format(
      "{} timed the enqueue: {} claimed, device {}, calls {}, first call to last {}, a window on "
      "average over {} windows.",
      counter.spec.name, time_words(counter.claimed_ns / windows),
      time_words(counter.busy_ns / windows), time_words(counter.call_ns / windows),
      time_words(counter.enqueue_ns / windows), counter.span_windows);
  found.claimed = quantity_of_time(counter.claimed_ns);
  found.observed = quantity_of_time(counter.busy_ns);
  found.likely_cause = "the calls that submit the work, which return before it runs";
  found.window_count = counter.span_windows;
  return found;
}

}  // namespace

bool is_enqueue_timed(const counter_evidence& counter) {
  if (!is_eligible(counter) || counter.claimed_ns <= 0.0) return false;
  return counter.claimed_ns < work_share_max * counter.busy_ns && is_between_calls(counter);
}

rule_outcome enqueue_timed(const evidence& from, void_map&) {
  rule_outcome out;
  for (const counter_evidence& counter : from.counters) {
    if (!is_eligible(counter)) continue;
    out.evaluated += counter.span_windows;
    if (is_enqueue_timed(counter)) out.findings.push_back(describe(counter));
  }
  return out;
}

}  // namespace assay::audit
