// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What a rule is: a pure function of the evidence, with what it says of itself in words.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "harness/audit/evidence.h"
#include "harness/audit/void_map.h"
#include "reports/model/audit_report.h"

namespace assay::audit {

struct rule_outcome {
  std::uint64_t evaluated = 0;  ///< samples that met the precondition
  std::vector<model::finding> findings;
};

/// One row of the table of rules.
struct rule {
  std::string_view id;
  std::string_view name;
  std::string_view severity;  ///< in words, where it depends on the figure
  std::string_view precondition;
  std::string_view check;
  std::string_view tolerance;
  bool is_void_rule;  ///< judges the ground truth; runs before the others and voids for them
  rule_outcome (*run)(const evidence& from, void_map& voids);
};

/// A finding with its head filled in.
model::finding finding_of(std::string_view rule, std::string_view name, model::severity severity,
                          std::string_view subject);

/// Every rule, in the order in which they run: what voids first, then the counters' own behaviour,
/// then amounts, times and rates, then activity against silence.
std::span<const rule> rules();

}  // namespace assay::audit
