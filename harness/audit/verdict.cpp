// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/audit/verdict.h"

#include <array>

#include <fmt/format.h>

#include "harness/audit/mismatch.h"
#include "harness/audit/wording.h"

namespace assay::audit {
namespace {

using model::verdict;
using telemetry::reading_state;

struct sides {
  bool is_whole = false;
  bool has_upper = false;
  bool has_lower = false;
  bool is_bracket() const { return is_whole || (has_upper && has_lower); }
};

std::array<sides, source_total> sides_of(const counter_evidence& counter) {
  std::array<sides, source_total> all{};
  for (const reference_evidence& reference : counter.references) {
    if (reference.is_void() || !reference.holds() || reference.is_below_slack()) continue;
    sides& of = all[static_cast<std::size_t>(reference.source)];
    of.is_whole =
        of.is_whole || reference.relation == ASSAY_EQUAL || reference.relation == ASSAY_NEAR;
    of.has_upper = of.has_upper || reference.relation == ASSAY_AT_MOST;
    of.has_lower = of.has_lower || reference.relation == ASSAY_AT_LEAST;
  }
  return all;
}

// The rule that broke the counter, if one did. A warning breaks it only together with a reference.
const model::finding* breaking(const counter_evidence& counter,
                               std::span<const model::finding> findings) {
  bool is_contradicted = false;
  for (const reference_evidence& reference : counter.references)
    is_contradicted = is_contradicted || (!reference.is_void() && reference.compared() > 0 &&
                                          classify(counter, reference) != mismatch_class::none);
  for (const model::finding& finding : findings)
    if (finding.subject == counter.spec.name &&
        (finding.severity != model::severity::warning || is_contradicted))
      return &finding;
  return nullptr;
}

std::string doubt(const counter_evidence& counter) {
  if (counter.was_lost) return "the counter lost its value by its own account";
  if (counter.was_lower_bound) return "the counter holds a lower bound by its own account";
  if (!counter.imbalance.empty()) return counter.imbalance;
  for (const reference_evidence& reference : counter.references) {
    if (reference.is_void()) return reference.void_reason;
    if (reference.compared() == 0 || reference.holds()) continue;
    if (reference.relation == ASSAY_NEAR && reference.near.outcome() == time_outcome::unclear)
      return fmt::format("{} do not settle it: {} of {} windows were disturbed",
                         source_name(reference.source), reference.near.stretched(),
                         reference.near.compared());
    return fmt::format("{} do not confirm it, and no rule says why", source_name(reference.source));
  }
  return {};
}

std::string lone_bound_words(const counter_evidence& counter) {
  const auto all = sides_of(counter);
  for (const reference_evidence& reference : counter.references)
    if (!reference.is_void() && reference.holds() && reference.relation >= ASSAY_AT_MOST &&
        !all[static_cast<std::size_t>(reference.source)].is_bracket())
      return fmt::format("; {} give one side only ({})", source_name(reference.source),
                         relation_name(reference.relation));
  return {};
}

std::string below_slack_words(const counter_evidence& counter) {
  for (const reference_evidence& reference : counter.references)
    if (!reference.is_void() && reference.holds() && reference.is_below_slack())
      return fmt::format("; too short to tell: {} may be off by {} over {} windows",
                         source_name(reference.source),
                         time_words(reference.near.slack_per_window() *
                                    static_cast<double>(reference.near.compared())),
                         reference.near.compared());
  return {};
}

// Were they two, a device that stamps wrong would confirm itself.
bool is_said_by_the_same_device(int source, const counter_evidence& counter,
                                const std::array<sides, source_total>& all) {
  return counter.has_one_observer && source == ASSAY_SOURCE_EVENTS &&
         all[ASSAY_SOURCE_DEVICE_RECORDS].is_bracket();
}

decision without_reading(const counter_evidence& counter) {
  if (!counter.has_reading) return {verdict::unmeasured, "no window with a snapshot was compared"};
  if (counter.last_state == reading_state::not_applicable)
    return {verdict::unmeasured, counter.absence_reason};
  return {verdict::unmeasured, "never written; no activity to measure"};
}

}  // namespace

std::vector<std::string> standing_references(const counter_evidence& counter) {
  const auto all = sides_of(counter);
  std::vector<std::string> standing;
  std::string upper;
  std::string lower;
  for (int source = 1; source < source_total; ++source) {
    const sides& of = all[static_cast<std::size_t>(source)];
    if (is_said_by_the_same_device(source, counter, all)) continue;
    if (of.is_bracket())
      standing.push_back(source_name(source));
    else if (of.has_upper && upper.empty())
      upper = source_name(source);
    else if (of.has_lower && lower.empty())
      lower = source_name(source);
  }
  if (!upper.empty() && !lower.empty()) standing.push_back(lower + " to " + upper);
  return standing;
}

decision decide(const counter_evidence& counter, std::span<const model::finding> findings) {
  if (const model::finding* broken = breaking(counter, findings))
    return {verdict::disagree, fmt::format("{} {}", broken->rule, broken->rule_name)};
  if (std::string why = doubt(counter); !why.empty()) return {verdict::undecided, std::move(why)};
  if (!counter.was_measured) return without_reading(counter);
  const std::vector<std::string> standing = standing_references(counter);
  if (standing.size() >= 2) return {verdict::agree, {}};
  const std::string lone = below_slack_words(counter) + lone_bound_words(counter);
  if (standing.empty()) return {verdict::unmeasured, "no reference compared it" + lone};
  return {verdict::unmeasured, "one reference only: " + standing.front() + lone};
}

}  // namespace assay::audit
