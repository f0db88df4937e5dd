// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/audit/r11_kind_suspect.h"

#include <fmt/format.h>

#include "harness/audit/dispute.h"

namespace assay::audit {
namespace {

// With fewer windows a level and a sum are hardly told apart.
constexpr std::uint64_t kind_min_windows = 3;

bool is_about_figures(const model::finding& finding) {
  return finding.rule == "R04" || finding.rule == "R13" || finding.rule == "R16";
}

// Of the kind that the contract declares, as the other kind would read.
std::uint64_t other_kind_windows(const counter_spec& spec, const level_tally& level) {
  return spec.is_cumulative() ? level.as_level : level.as_sum;
}

}  // namespace

explanation_outcome kind_suspect(const evidence& from, std::span<const model::finding>,
                                 const model::finding& of) {
  explanation_outcome out;
  if (!is_about_figures(of)) return out;
  const counter_evidence* const counter = counter_named(from, of.subject);
  if (counter == nullptr) return out;
  for (const reference_evidence& reference : counter->references) {
    const level_tally& level = reference.level;
    // A reference that says the same of each window cannot tell a level from one that is frozen.
    if (reference.is_void() || level.active < kind_min_windows || !level.has_varied) continue;
    out.evaluated = 1;
    if (other_kind_windows(counter->spec, level) != level.active) continue;
    out.explanations.push_back(explanation_of(
        "R11", "KIND_SUSPECT",
        counter->spec.is_cumulative()
            ? fmt::format("declared as a counter, it reads in each of {} windows what that window "
                          "alone brought: it is a level",
                          level.active)
            : fmt::format("declared as a level, it reads in each of {} windows all that there was "
                          "so far: it is a counter",
                          level.active),
        0.0));
    return out;
  }
  return out;
}

}  // namespace assay::audit
