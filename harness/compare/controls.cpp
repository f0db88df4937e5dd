// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/controls.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "harness/compare/multiplicity.h"
#include "harness/compare/row_decision.h"

namespace assay::compare {
namespace {

constexpr double control_level = 0.05;

struct control_sample {
  std::string name;
  std::string detail;
  std::vector<double> differences;
  double margin = 0.0;  // that they may lie apart by, as a logarithm
};

// Evenly over the run, so that the Walsh averages stay countable.
std::vector<double> thinned(const std::vector<double>& all) {
  if (all.size() <= signed_rank_null::exact_pairs) return all;
  std::vector<double> taken;
  for (std::size_t i = 0; i < signed_rank_null::exact_pairs; ++i)
    taken.push_back(all[i * all.size() / signed_rank_null::exact_pairs]);
  return taken;
}

std::vector<double> differences_of(const paired_row& row) {
  std::vector<value_pair> pairs = row.screen;
  pairs.insert(pairs.end(), row.confirm.begin(), row.confirm.end());
  return cost_differences(pairs, row.better);
}

std::vector<control_sample> collect(const std::vector<paired_row>& rows,
                                    const decision_rules& rules) {
  std::vector<control_sample> all;
  control_sample base{"base against itself", "later ÷ earlier process of a block", {}, 0.0};
  control_sample head{"head against itself", "later ÷ earlier process of a block", {}, 0.0};
  base.margin = head.margin = std::log1p(rules.margin_ratio());
  for (const paired_row& row : rows) {
    if (row.is_exact || !row.base_failure.empty() || !row.head_failure.empty()) continue;
    const auto& apart = row.contrasts;
    base.differences.insert(base.differences.end(), apart.base.begin(), apart.base.end());
    head.differences.insert(head.differences.end(), apart.head.begin(), apart.head.end());
    if ((row.is_control || row.is_same_code) && !row.screen.empty())
      all.push_back({row.name,
                     row.is_control ? "the harness's own code on both sides"
                                    : "the same machine code on both sides",
                     differences_of(row), 0.0});
  }
  all.push_back(base);
  all.push_back(head);
  std::erase_if(all, [](const control_sample& each) { return each.differences.empty(); });
  return all;
}

}  // namespace

std::vector<model::control_line> judge_controls(const std::vector<paired_row>& rows,
                                                const decision_rules& rules, null_cache& nulls) {
  std::vector<model::control_line> lines;
  std::vector<double> p_values;
  for (const control_sample& each : collect(rows, rules)) {
    const signed_rank_sample sample(thinned(each.differences));
    const signed_rank_null& null = nulls.of(sample.size());
    model::control_line line{.name = each.name, .pairs = sample.size(), .detail = each.detail};
    line.change_ratio = std::expm1(sample.estimate());
    if (const auto found = sample.interval(null, 1.0 - control_level))
      line.interval = model::change_interval{std::expm1(found->low), std::expm1(found->high)};
    const double p =
        std::min(sample.p_of_at_most(null, each.margin), sample.p_of_at_least(null, -each.margin));
    p_values.push_back(std::min(1.0, 2.0 * p));
    lines.push_back(std::move(line));
  }
  const std::vector<double> adjusted = holm_adjusted(p_values);
  for (std::size_t i = 0; i < lines.size(); ++i) lines[i].has_moved = adjusted[i] <= control_level;
  return lines;
}

}  // namespace assay::compare
