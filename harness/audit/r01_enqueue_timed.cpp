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
// A bracket around work is never shorter than the work; where one call launches a graph of a
// hundred recorded kernels, its enqueue takes half of their time and more.
constexpr double work_share_max = 0.8;
constexpr double call_share = 0.25;
constexpr double call_slack_ns = 5'000.0;

bool is_eligible(const counter_evidence& counter) {
  return counter.spec.kind == telemetry::counter_kind::duration && counter.span_windows > 0 &&
         is_judgeable(counter) && has_trusted_work(counter);
}

bool is_long_enough(const submitted_work& work) {
  return work.windows > 0 && work.busy_ns > work_min_ns * static_cast<double>(work.windows);
}

// Whoever times enqueues reads a clock around each call, or once before the first and once after
// the last. A caller that lost its core around a call lands between the two.
bool is_between_calls(const submitted_work& work) {
  const double slack_ns = call_slack_ns * static_cast<double>(work.windows);
  const double least = work.call_ns - std::max(call_share * work.call_ns, slack_ns);
  const double most = work.enqueue_ns + std::max(call_share * work.enqueue_ns, slack_ns);
  return work.claimed_ns >= least && work.claimed_ns <= most;
}

// Kind by kind: a step that one call enqueues and a pass that hundreds do are nothing alike, and
// where the pass takes as long to enqueue as to run, it would hide the steps.
const submitted_work* enqueue_timed_work(const counter_evidence& counter) {
  for (const submitted_work& work : counter.submitted)
    if (is_long_enough(work) && work.claimed_ns > 0.0 &&
        work.claimed_ns < work_share_max * work.busy_ns && is_between_calls(work))
      return &work;
  return nullptr;
}

model::finding describe(const counter_evidence& counter, const submitted_work& work) {
  model::finding found =
      finding_of("R01", "ENQUEUE_TIMED", model::severity::critical, counter.spec.name);
  const auto windows = static_cast<double>(work.windows);
  found.message = fmt::format(
      "{} timed the enqueue: {} claimed, device {}, calls {}, first call to last {}, a window on "
      "average over {} windows.",
      counter.spec.name, time_words(work.claimed_ns / windows), time_words(work.busy_ns / windows),
      time_words(work.call_ns / windows), time_words(work.enqueue_ns / windows), work.windows);
  found.claimed = quantity_of_time(work.claimed_ns);
  found.observed = quantity_of_time(work.busy_ns);
  found.likely_cause = "the calls that submit the work, which return before it runs";
  found.window_count = work.windows;
  return found;
}

}  // namespace

bool is_enqueue_timed(const counter_evidence& counter) {
  return is_eligible(counter) && enqueue_timed_work(counter) != nullptr;
}

rule_outcome enqueue_timed(const evidence& from, void_map&) {
  rule_outcome out;
  for (const counter_evidence& counter : from.counters) {
    if (!is_eligible(counter)) continue;
    for (const submitted_work& work : counter.submitted)
      if (is_long_enough(work)) out.evaluated += work.windows;
    if (const submitted_work* work = enqueue_timed_work(counter))
      out.findings.push_back(describe(counter, *work));
  }
  return out;
}

}  // namespace assay::audit
