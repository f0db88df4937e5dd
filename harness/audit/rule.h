// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What a rule is: a pure function of the evidence, with what it says of itself in words.
#pragma once

#include <cstdint>
#include <span>
#include <string>
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

/// What one rule that explains says of one finding.
struct explanation_outcome {
  std::uint64_t evaluated = 0;  ///< 1 where the finding has figures that it can be tried on
  std::vector<model::explanation> explanations;
};

enum class rule_role : std::uint8_t {
  voids,     ///< judges the ground truth; runs before the others and voids for them
  judges,    ///< finds
  explains,  ///< says why a figure that another rule found is wrong; finds nothing itself
};

/// One row of the table of rules. `run` is null for those that explain, `explain` for all others.
struct rule {
  std::string_view id;
  std::string_view name;
  std::string_view severity;  ///< in words, where it depends on the figure
  std::string_view precondition;
  std::string_view check;
  std::string_view tolerance;
  rule_role role;
  rule_outcome (*run)(const evidence& from, void_map& voids);
  explanation_outcome (*explain)(const evidence& from, std::span<const model::finding> all,
                                 const model::finding& of) = nullptr;
};

/// A finding with its head filled in.
model::finding finding_of(std::string_view rule, std::string_view name, model::severity severity,
                          std::string_view subject);

model::explanation explanation_of(std::string_view rule, std::string_view name, std::string message,
                                  double distance_ratio);

/// Every rule, in the order in which they run: what voids first, then the counters' own behaviour,
/// then amounts, times and rates, then what explains those, then activity against silence.
std::span<const rule> rules();

}  // namespace assay::audit
