// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/audit/r07_conservation.h"

#include <algorithm>

#include <fmt/format.h>

#include "harness/audit/mismatch.h"
#include "harness/audit/verdict.h"
#include "harness/audit/wording.h"

namespace assay::audit {
namespace {

// A member whose own figure is wrong is the cause, and the finding is that member's.
bool is_explained(const evidence& from, const balance_evidence& balance) {
  return std::any_of(balance.rows.begin(), balance.rows.end(), [&](std::size_t row) {
    const counter_evidence& member = from.counters[row];
    return !is_judgeable(member) || class_of(member) != mismatch_class::none;
  });
}

std::vector<std::size_t> suspects_of(const evidence& from, const balance_evidence& balance) {
  std::vector<std::size_t> suspects;
  for (const std::size_t row : balance.rows) {
    const counter_evidence& member = from.counters[row];
    const bool is_confirmed =
        member.spec.is_cumulative() && standing_references(member).size() >= 2;
    if (!is_confirmed && std::find(suspects.begin(), suspects.end(), row) == suspects.end())
      suspects.push_back(row);
  }
  return suspects.empty() ? balance.rows : suspects;
}

model::finding describe(const evidence& from, const balance_evidence& balance) {
  const std::vector<std::size_t> suspects = suspects_of(from, balance);
  const bool is_one = suspects.size() == 1;
  const counter_spec& first = from.counters[suspects.front()].spec;
  model::finding found = finding_of("R07", "CONSERVATION", model::severity::critical,
                                    is_one ? first.name : balance.words);
  found.message = fmt::format(
      "{} does not hold in {} of {} windows: {} against {} in {}; {}.", balance.words,
      balance.broken, balance.evaluated, value_words(number::of(balance.left), first.unit),
      value_words(number::of(balance.right), first.unit), to_string(balance.first),
      is_one ? "every other part of it is confirmed by two references"
             : fmt::format("which of its {} parts is wrong, no reference tells", suspects.size()));
  found.claimed = quantity_of(number::of(balance.left));
  found.observed = quantity_of(number::of(balance.right));
  found.unit = to_string(first.unit);  // where the subject is the equation, nothing else says
  found.likely_cause = "an event that one of the parts counts and another does not";
  found.where = to_string(balance.first);
  found.window_count = balance.broken;
  return found;
}

}  // namespace

void doubt_unbalanced(evidence& from) {
  for (const balance_evidence& balance : from.balances) {
    if (balance.broken == 0 || is_explained(from, balance)) continue;
    for (const std::size_t row : suspects_of(from, balance))
      from.counters[row].imbalance = fmt::format("{} does not hold in {} of {} windows",
                                                 balance.words, balance.broken, balance.evaluated);
  }
}

rule_outcome conservation(const evidence& from, void_map&) {
  rule_outcome out;
  for (const balance_evidence& balance : from.balances) {
    out.evaluated += balance.evaluated;
    if (balance.broken > 0 && !is_explained(from, balance))
      out.findings.push_back(describe(from, balance));
  }
  return out;
}

}  // namespace assay::audit
