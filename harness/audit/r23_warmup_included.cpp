// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/audit/r23_warmup_included.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "harness/audit/dispute.h"
#include "harness/audit/wording.h"

namespace assay::audit {
namespace {

// What comes before the steady state: the load, and each request's first pass.
struct warm_up {
  const char* name;
  std::array<int, 2> kinds;
  int kind_count;
};

constexpr std::array<warm_up, 3> warm_ups{{
    {"the load", {ASSAY_WINDOW_LOAD, 0}, 1},
    {"the prefills", {ASSAY_WINDOW_PREFILL, 0}, 1},
    {"the load and the prefills", {ASSAY_WINDOW_LOAD, ASSAY_WINDOW_PREFILL}, 2},
}};

// The same work under any label, but for what the counter claims anyway.
std::int64_t work_of(const kind_totals& totals, const counter_spec& spec) {
  trace::claim_row wider = spec.claims;
  wider.range = telemetry::range::any;
  const std::vector<int> claimed = cells_of(spec.claims);
  std::int64_t sum = 0;
  for (const int cell : cells_of(wider)) {
    if (std::find(claimed.begin(), claimed.end(), cell) != claimed.end()) continue;
    const cell_work& work = totals.work[static_cast<std::size_t>(cell)];
    sum = saturating_add(sum, spec.claims.measure == telemetry::measure::span
                                  ? work.device_ns
                                  : work.of(spec.claims.measure));
  }
  return sum;
}

// What one kind of window would have added to the counter, had it been counted.
std::int64_t share_of(const kind_totals& totals, const counter_spec& spec) {
  if (!cells_of(spec.claims).empty()) return work_of(totals, spec);
  if (spec.unit == unit::ns) return totals.host_span_ns;
  return spec.unit == unit::count ? static_cast<std::int64_t>(totals.windows) : 0;
}

bool fits(const dispute& open, std::int64_t share) {
  if (open.is_exact) return open.claimed_integer == saturating_add(open.observed_integer, share);
  const auto more = static_cast<double>(share);
  const double slack =
      std::max(bracket_slack_ns * static_cast<double>(open.windows), relative_slack * open.claimed);
  return open.claimed >= open.low + more - slack && open.claimed <= open.high + more + slack;
}

}  // namespace

explanation_outcome warmup_included(const evidence& from, std::span<const model::finding>,
                                    const model::finding& of) {
  explanation_outcome out;
  const auto open = dispute_of(from, of);
  if (!open || !open->counter->spec.is_cumulative()) return out;
  out.evaluated = 1;
  for (const warm_up& one : warm_ups) {
    std::int64_t share = 0;
    for (int i = 0; i < one.kind_count; ++i)
      share = saturating_add(
          share,
          share_of(from.by_kind[static_cast<std::size_t>(one.kinds[static_cast<std::size_t>(i)])],
                   open->counter->spec));
    if (share <= 0 || !fits(*open, share)) continue;
    const double all = 0.5 * (open->low + open->high) + static_cast<double>(share);
    out.explanations.push_back(explanation_of(
        "R23", "WARMUP_INCLUDED",
        fmt::format("{} more: what {} would add",
                    value_words(number::of(share), open->counter->spec.unit), one.name),
        std::abs(open->claimed / all - 1.0)));
  }
  return out;
}

}  // namespace assay::audit
