// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/audit/r21_stale.h"

#include <fmt/format.h>

#include "harness/audit/dispute.h"

namespace assay::audit {
namespace {

constexpr double stale_min_ratio = 10.0;
constexpr std::uint64_t stale_min_windows = 2;

bool is_about_figures(const model::finding& finding) {
  return finding.rule == "R04" || finding.rule == "R05" || finding.rule == "R13";
}

}  // namespace

explanation_outcome stale(const evidence& from, std::span<const model::finding>,
                          const model::finding& of) {
  explanation_outcome out;
  if (!is_about_figures(of)) return out;
  const counter_evidence* const counter = counter_named(from, of.subject);
  if (counter == nullptr || counter->spec.is_cumulative()) return out;
  for (const reference_evidence& reference : counter->references) {
    const level_tally& level = reference.level;
    if (reference.is_void() || level.active == 0) continue;
    out.evaluated = 1;
    if (!(level.held_ratio > stale_min_ratio) || level.held_windows < stale_min_windows) continue;
    out.explanations.push_back(explanation_of(
        "R21", "STALE",
        fmt::format("last moved in {}, and stood for {} windows in which what it is the level of "
                    "changed {:.3g} times",
                    to_string(level.held_since), level.held_windows, level.held_ratio),
        0.0));
    return out;
  }
  return out;
}

}  // namespace assay::audit
