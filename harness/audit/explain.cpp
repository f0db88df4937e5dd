// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/audit/explain.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace assay::audit {
namespace {

std::string cause_words(const model::finding& finding) {
  const model::explanation& nearest = finding.explanations.front();
  if (nearest.rule == finding.rule) return nearest.message;
  return fmt::format("{} {}, {}", nearest.rule, nearest.rule_name, nearest.message);
}

}  // namespace

std::vector<model::rule_line> attach_explanations(const evidence& from, std::span<const rule> with,
                                                  std::vector<model::finding>& findings) {
  std::vector<model::rule_line> lines;
  for (const rule& one : with) {
    if (one.role != rule_role::explains) continue;
    model::rule_line line{std::string(one.id), std::string(one.name), 0, 0, true};
    for (model::finding& finding : findings) {
      explanation_outcome outcome = one.explain(from, findings, finding);
      line.evaluated_samples += outcome.evaluated;
      line.fired += outcome.explanations.empty() ? 0 : 1;
      std::move(outcome.explanations.begin(), outcome.explanations.end(),
                std::back_inserter(finding.explanations));
    }
    lines.push_back(std::move(line));
  }
  for (model::finding& finding : findings) {
    if (finding.explanations.empty()) continue;
    std::stable_sort(finding.explanations.begin(), finding.explanations.end(),
                     [](const model::explanation& a, const model::explanation& b) {
                       return a.distance_ratio < b.distance_ratio;
                     });
    finding.likely_cause = cause_words(finding);
  }
  return lines;
}

}  // namespace assay::audit
