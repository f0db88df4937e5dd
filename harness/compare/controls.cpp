// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/controls.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

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
  std::string failure{};
};

std::string failure_of(const paired_row& row) {
  if (!row.base_failure.empty()) return "it failed: " + row.base_failure;
  if (!row.head_failure.empty()) return "it failed: " + row.head_failure;
  return row.screen.empty() ? "no pair was measured" : "";
}

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
    if (row.is_exact) continue;
    const bool is_one = row.is_control || (row.is_same_code && row.is_in_base && row.is_in_head);
    if (is_one)
      all.push_back({row.name,
                     row.is_control ? "the harness's own code on both sides"
                                    : "the same machine code on both sides",
                     differences_of(row), 0.0, failure_of(row)});
    if (!row.base_failure.empty() || !row.head_failure.empty()) continue;
    const auto& apart = row.contrasts;
    base.differences.insert(base.differences.end(), apart.base.begin(), apart.base.end());
    head.differences.insert(head.differences.end(), apart.head.begin(), apart.head.end());
  }
  all.push_back(base);
  all.push_back(head);
  for (control_sample& each : all)
    if (each.differences.empty() && each.failure.empty()) each.failure = "no block was ended";
  return all;
}

// The smallest two-sided p that so many pairs can give.
double smallest_p(std::size_t pairs) {
  return std::ldexp(2.0, -static_cast<int>(std::min<std::size_t>(pairs, 1000)));
}

// The fewest pairs with which a sample is judged at one level for all that are: as few as leave
// each of them able to be found. One that never could be only takes from the level of the rest.
// None where that is so of all.
std::optional<std::size_t> fewest_judged(std::vector<std::size_t> pairs) {
  std::sort(pairs.begin(), pairs.end());
  for (std::size_t at = 0; at < pairs.size(); ++at) {
    const auto family = static_cast<double>(pairs.size() - at);
    const bool is_first = at == 0 || pairs[at] != pairs[at - 1];
    if (is_first && pairs[at] > 0 && smallest_p(pairs[at]) * family <= control_level)
      return pairs[at];
  }
  return std::nullopt;
}

// `judged` others are.
std::string why_unjudged(const control_sample& each, std::size_t judged) {
  if (!each.failure.empty()) return each.failure;
  const double level = control_level / static_cast<double>(judged + 1);
  return fmt::format("{} pairs cannot tell; {} could", each.differences.size(),
                     pairs_needed(0.5 * level));
}

// Fills the line in; the two-sided p of its not having moved by more than the margin.
double describe(const signed_rank_sample& sample, const signed_rank_null& null, double margin,
                model::control_line& line) {
  line.pairs = sample.size();
  line.change_ratio = std::expm1(sample.estimate());
  if (const auto found = sample.interval(null, 1.0 - control_level))
    line.interval = model::change_interval{std::expm1(found->low), std::expm1(found->high)};
  const double p = std::min(sample.p_of_at_most(null, margin), sample.p_of_at_least(null, -margin));
  return std::min(1.0, 2.0 * p);
}

}  // namespace

std::vector<model::control_line> judge_controls(const std::vector<paired_row>& rows,
                                                const decision_rules& rules, null_cache& nulls) {
  std::vector<model::control_line> lines;
  std::vector<double> p_values;
  std::vector<std::size_t> judged;  // the line of each p value
  const std::vector<control_sample> samples = collect(rows, rules);
  std::vector<std::size_t> sizes;
  for (const control_sample& each : samples)
    sizes.push_back(each.failure.empty() ? thinned(each.differences).size() : 0);
  const auto fewest = fewest_judged(sizes);
  const auto is_enough = [&](std::size_t pairs) { return fewest && pairs >= *fewest; };
  const auto count = static_cast<std::size_t>(std::count_if(sizes.begin(), sizes.end(), is_enough));
  for (const control_sample& each : samples) {
    model::control_line line{.name = each.name, .detail = each.detail};
    const bool is_judged = is_enough(sizes[lines.size()]);
    if (!is_judged) line.unjudged = why_unjudged(each, count);
    if (each.failure.empty()) {
      const signed_rank_sample sample(thinned(each.differences));
      const double p = describe(sample, nulls.of(sample.size()), each.margin, line);
      if (is_judged) {
        p_values.push_back(p);
        judged.push_back(lines.size());
      }
    }
    lines.push_back(std::move(line));
  }
  const std::vector<double> adjusted = holm_adjusted(p_values);
  for (std::size_t i = 0; i < judged.size(); ++i)
    lines[judged[i]].has_moved = adjusted[i] <= control_level;
  return lines;
}

}  // namespace assay::compare
