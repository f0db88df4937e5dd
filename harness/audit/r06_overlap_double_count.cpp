// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/audit/r06_overlap_double_count.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "harness/audit/mismatch.h"
#include "harness/audit/wording.h"

namespace assay::audit {
namespace {

struct summed {
  double sum_ns = 0.0;
  const char* what = nullptr;
};

double slack_of(double ns, const counter_evidence& counter) {
  return std::max(bracket_slack_ns * static_cast<double>(counter.span_windows),
                  relative_slack * ns);
}

bool is_near(const counter_evidence& counter, double sum_ns) {
  return std::abs(counter.claimed_ns - sum_ns) <= slack_of(sum_ns, counter);
}

// Side by side: the work on several streams, one interval after the other. One within the other:
// the whole, as its records or its events show it, and the parts of which it consists.
std::optional<summed> sum_behind(const counter_evidence& counter) {
  if (counter.sum_ns > counter.busy_ns + slack_of(counter.busy_ns, counter) &&
      is_near(counter, counter.sum_ns))
    return summed{counter.sum_ns, "intervals that run side by side"};
  const double recorded_ns = counter.span_ns + counter.sum_ns;
  const double stamped_ns = counter.bracket_ns + counter.sum_ns;
  const bool is_stamped =
      counter.bracket_windows == counter.span_windows && is_near(counter, stamped_ns);
  if (is_stamped || is_near(counter, recorded_ns))
    return summed{is_stamped ? stamped_ns : recorded_ns, "a whole and the parts within it"};
  return std::nullopt;
}

// What its brackets may be off by can double a time that short. Asked here and not where the rule
// speaks: R05 leaves to this rule what it would name, and must not leave what it would not.
bool is_too_short_to_tell(const counter_evidence& counter) {
  return std::any_of(counter.references.begin(), counter.references.end(),
                     [](const reference_evidence& reference) {
                       return reference.is_derived &&
                              reference.source == ASSAY_SOURCE_DEVICE_RECORDS &&
                              reference.is_below_slack();
                     });
}

bool is_eligible(const counter_evidence& counter) {
  return counter.spec.kind == telemetry::counter_kind::duration && counter.span_windows > 0 &&
         counter.busy_ns > 0.0 && is_judgeable(counter) && has_trusted_work(counter) &&
         !is_too_short_to_tell(counter);
}

model::finding describe(const counter_evidence& counter, const summed& sum) {
  model::finding found =
      finding_of("R06", "OVERLAP_DOUBLE_COUNT", model::severity::error, counter.spec.name);
  found.message = fmt::format(
      "{} claims {} over {} windows: that is the sum of {}, {}, where all of the work together "
      "took {} and kept the device busy for {}.",
      counter.spec.name, time_words(counter.claimed_ns), counter.span_windows, sum.what,
      time_words(sum.sum_ns), time_words(counter.span_ns), time_words(counter.busy_ns));
  found.claimed = quantity_of_time(counter.claimed_ns);
  found.observed = quantity_of_time(counter.span_ns);
  found.likely_cause = fmt::format("{}, added up", sum.what);
  found.window_count = counter.span_windows;
  return found;
}

}  // namespace

bool is_overlap_summed(const counter_evidence& counter) {
  return is_eligible(counter) && class_of(counter) == mismatch_class::differs &&
         sum_behind(counter).has_value();
}

rule_outcome overlap_double_count(const evidence& from, void_map&) {
  rule_outcome out;
  for (const counter_evidence& counter : from.counters) {
    if (!is_eligible(counter)) continue;
    out.evaluated += counter.span_windows;
    if (is_overlap_summed(counter)) out.findings.push_back(describe(counter, *sum_behind(counter)));
  }
  return out;
}

}  // namespace assay::audit
