// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/audit/r20_misattributed.h"

#include <optional>
#include <vector>

#include <fmt/format.h>

#include "harness/audit/dispute.h"

namespace assay::audit {
namespace {

std::vector<dispute> exact_disputes(const evidence& from, std::span<const model::finding> all) {
  std::vector<dispute> open;
  for (const model::finding& one : all)
    if (const auto found = dispute_of(from, one); found && found->is_exact) open.push_back(*found);
  return open;
}

// Who holds the figure that this one claims? Of the same unit, or the figures are no kin.
const dispute* owner_of(const dispute& claim, const std::vector<dispute>& open) {
  for (const dispute& other : open)
    if (other.counter != claim.counter && other.counter->spec.unit == claim.counter->spec.unit &&
        other.observed_integer == claim.claimed_integer)
      return &other;
  return nullptr;
}

}  // namespace

explanation_outcome misattributed(const evidence& from, std::span<const model::finding> all,
                                  const model::finding& of) {
  explanation_outcome out;
  const auto first = dispute_of(from, of);
  if (!first || !first->is_exact) return out;
  out.evaluated = 1;
  const std::vector<dispute> open = exact_disputes(from, all);
  // Each claims what is another's, until the last claims what is the first's: nothing is missing,
  // everything stands under a wrong name.
  std::string ring;
  const dispute* at = owner_of(*first, open);
  for (std::size_t length = 2; at != nullptr && length <= open.size(); ++length) {
    ring += fmt::format("{} {}", length == 2 ? "holds the figure of" : ", which holds that of",
                        at->counter->spec.name);
    if (at->claimed_integer == first->observed_integer) {
      out.explanations.push_back(
          explanation_of("R20", "MISATTRIBUTED", ring + ", which holds this one's", 0.0));
      return out;
    }
    at = owner_of(*at, open);
  }
  return out;
}

}  // namespace assay::audit
