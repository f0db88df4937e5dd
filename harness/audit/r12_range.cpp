// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/audit/r12_range.h"

#include <fmt/format.h>

#include "harness/audit/wording.h"

namespace assay::audit {
namespace {

const char* cause_of(range_fault fault) {
  switch (fault) {
    case range_fault::not_finite:
      return "a division by a time or an amount that was still zero";
    case range_fault::sentinel:
      return "the mark of a missing value, published as if it were one";
    default:
      return "another unit or scale than the contract's, or memory that nobody wrote";
  }
}

model::finding describe(const counter_evidence& counter) {
  const range_evidence& range = counter.range;
  model::finding found = finding_of("R12", "RANGE", model::severity::critical, counter.spec.name);
  found.message =
      fmt::format("{} reads {} in {}, and {} of {} readings are such: that {}.", counter.spec.name,
                  value_words(range.first.claimed, counter.spec.unit), to_string(range.first.where),
                  range.outside, range.checked, fault_words(range.first_fault, counter.spec));
  found.claimed = quantity_of(range.first.claimed);
  found.observed = absent("no reference is needed");
  found.likely_cause = cause_of(range.first_fault);
  found.where = to_string(range.first.where);
  found.window_count = range.outside;
  return found;
}

}  // namespace

rule_outcome range_fault_rule(const evidence& from, void_map&) {
  rule_outcome out;
  for (const counter_evidence& counter : from.counters) {
    out.evaluated += counter.range.checked;
    if (counter.range.outside > 0) out.findings.push_back(describe(counter));
  }
  return out;
}

}  // namespace assay::audit
