// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/row_decision.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "harness/compare/exact_rows.h"
#include "harness/compare/median.h"
#include "harness/compare/multiplicity.h"
#include "harness/compare/visible_change.h"
#include "runtime/telemetry/check.h"

namespace assay::compare {
namespace {

// The two one-sided hypotheses that a row may enter into the family with.
struct trial {
  std::size_t row = 0;
  bool is_worse = false;
  double p = 1.0;
};

bool has_hypothesis(const paired_row& row) {
  return row.is_in_base && row.is_in_head && row.base_failure.empty() && row.head_failure.empty() &&
         row.incomparable.empty() && !row.is_exact && !row.is_control && !row.is_same_code;
}

double p_of(const signed_rank_sample& sample, const signed_rank_null& null, bool is_worse,
            double margin) {
  return is_worse ? sample.p_of_at_most(null, margin) : sample.p_of_at_least(null, -margin);
}

model::quantity median_quantity(std::vector<double> values, const std::string& absence) {
  if (values.empty()) return {.absence = absence};
  return {.is_present = true,
          .is_real = true,
          .integer = 0,
          .real = median_of(std::move(values)),
          .absence = {}};
}

std::vector<value_pair> all_pairs(const paired_row& row) {
  std::vector<value_pair> all = row.screen;
  all.insert(all.end(), row.confirm.begin(), row.confirm.end());
  return all;
}

void describe_sides(const paired_row& row, model::comparison_row& out) {
  std::vector<double> base;
  std::vector<double> head;
  for (const value_pair& pair : all_pairs(row)) {
    base.push_back(pair.base);
    head.push_back(pair.head);
  }
  const auto absence = [](bool is_there, const std::string& failure) {
    if (!is_there) return std::string("not in this side");
    return failure.empty() ? std::string("no pair was measured") : failure;
  };
  out.base = median_quantity(base, absence(row.is_in_base, row.base_failure));
  out.head = median_quantity(head, absence(row.is_in_head, row.head_failure));
  // Both would be printed in the row's one unit, base's.
  if (!row.incomparable.empty()) out.head = {.absence = row.incomparable};
  out.base_processes = base.size();
  out.head_processes = head.size();
}

// What a row is called that no test has to decide. False where one has to.
bool settle_without_test(const paired_row& row, model::comparison_row& out) {
  using model::row_state;
  const auto settle = [&out](row_state state, std::string reason) {
    out.state = state;
    out.reason = std::move(reason);
    return true;
  };
  if (!row.base_failure.empty() && !row.head_failure.empty())
    return settle(row_state::errored,
                  fmt::format("base: {}; head: {}", row.base_failure, row.head_failure));
  if (!row.base_failure.empty()) return settle(row_state::errored, "base: " + row.base_failure);
  if (!row.head_failure.empty()) return settle(row_state::errored, "head: " + row.head_failure);
  if (!row.is_in_base) return settle(row_state::added, {});
  if (!row.is_in_head) return settle(row_state::removed, row.is_exact ? lost_count_words : "");
  if (!row.incomparable.empty()) return settle(row_state::not_comparable, row.incomparable);
  if (row.screen.empty()) return settle(row_state::inconclusive, "no pair was measured");
  if (!row.is_exact) return false;
  std::vector<double> base;
  std::vector<double> head;
  for (const value_pair& pair : all_pairs(row)) {
    base.push_back(pair.base);
    head.push_back(pair.head);
  }
  decide_exact(base, head, row.better, out);
  return true;
}

class decider {
 public:
  decider(const std::vector<paired_row>& rows, const decision_rules& rules, null_cache& nulls)
      : rows_(rows), rules_(rules), nulls_(nulls) {}

  std::vector<model::comparison_row> decide() {
    enter_family();
    std::vector<model::comparison_row> out;
    for (std::size_t at = 0; at < rows_.size(); ++at)
      if (!rows_[at].is_control) out.push_back(decide_row(at));
    return out;
  }

 private:
  void enter_family() {
    std::vector<double> p_values;
    for (std::size_t at = 0; at < rows_.size(); ++at) {
      const screen_result result = screened(rows_[at], rules_, nulls_);
      for (const bool is_worse : {true, false}) {
        if (!(is_worse ? result.is_worse_possible : result.is_better_possible)) continue;
        p_values.push_back(p_of_confirmation(rows_[at], is_worse));
        trials_.push_back({at, is_worse, 1.0});
      }
    }
    const std::vector<double> adjusted = holm_adjusted(p_values);
    for (std::size_t i = 0; i < trials_.size(); ++i) trials_[i].p = adjusted[i];
  }

  double p_of_confirmation(const paired_row& row, bool is_worse) {
    if (row.confirm.size() < fewest_fresh_pairs) return 1.0;
    const signed_rank_sample sample(cost_differences(row.confirm, row.better));
    return p_of(sample, nulls_.of(sample.size()), is_worse, margin_of(row));
  }

  model::comparison_row decide_row(std::size_t at) {
    const paired_row& row = rows_[at];
    model::comparison_row out;
    out.name = row.name;
    out.metric = row.metric;
    out.unit = row.unit;
    out.better = row.better;
    out.is_exact = row.is_exact;
    describe_sides(row, out);
    if (settle_without_test(row, out)) return out;
    estimate(row, out);
    bool is_tried = false;
    for (const trial& each : trials_) {
      if (each.row != at) continue;
      is_tried = true;
      out.p_value = std::min(each.p, out.p_value.value_or(1.0));
      if (each.p <= rules_.confirm_level) found(row, each.is_worse, out);
    }
    if (out.state == model::row_state::inconclusive) equivalence(row, is_tried, out);
    out.is_left_unconfirmed =
        out.state == model::row_state::inconclusive && is_left_unconfirmed(at, row);
    return out;
  }

  // What could not be red anyway needs no following up.
  bool is_left_unconfirmed(std::size_t at, const paired_row& row) const {
    if (row.is_moved_code || row.better == model::direction::unknown) return false;
    return row.confirm.size() < pairs_to_confirm() &&
           std::any_of(trials_.begin(), trials_.end(),
                       [at](const trial& each) { return each.row == at && each.is_worse; });
  }

  // With fewer no row of this family can be found, whatever it shows.
  std::size_t pairs_to_confirm() const {
    const double level = rules_.confirm_level / static_cast<double>(trials_.size());
    return std::max(pairs_needed(level), fewest_fresh_pairs);
  }

  void found(const paired_row& row, bool is_worse, model::comparison_row& out) const {
    if (row.is_moved_code) {
      out.reason = fmt::format(
          "layout: it looks {}, and both builds have the same functions and data at other "
          "addresses",
          is_worse ? "worse" : "better");
      return;
    }
    if (out.better == model::direction::unknown) {
      out.reason = "it moved, and which way is better is unknown";
      return;
    }
    out.state = is_worse ? model::row_state::regressed : model::row_state::improved;
    if (!rules_.floor_of(out.name) && rules_.threshold_ratio < rules_.uncalibrated_floor_ratio)
      out.reason = fmt::format(
          "this runner is uncalibrated: {:.0f} % are allowed, and the order of linking alone can "
          "move a row by more",
          100.0 * rules_.uncalibrated_floor_ratio);
  }

  // The pairs that speak for the row: the confirmation's, where there was one. The screen's then
  // only chose, and what was chosen for being large is no estimate.
  void estimate(const paired_row& row, model::comparison_row& out) {
    out.is_confirmed = !row.confirm.empty();
    const auto& pairs = out.is_confirmed ? row.confirm : row.screen;
    const signed_rank_sample sample(cost_differences(pairs, row.better));
    const double sign = row.better == model::direction::higher_is_better ? -1.0 : 1.0;
    out.pairs = pairs.size();
    out.change_ratio = std::expm1(sign * sample.estimate());
    out.interval_level_ratio = rules_.interval_level;
    if (const auto found = sample.interval(nulls_.of(sample.size()), rules_.interval_level)) {
      const std::pair<double, double> ends = std::minmax({sign * found->low, sign * found->high});
      out.interval = model::change_interval{std::expm1(ends.first), std::expm1(ends.second)};
    }
    out.margin_ratio = rules_.margin_ratio(row.name);
    out.margin_source = margin_source(row);
    const auto shift = visible_shift(cost_differences(pairs, row.better), margin_of(row),
                                     stages(row), rules_.seed);
    if (shift) out.visible_ratio = std::expm1(*shift);
  }

  std::vector<rule_of_stage> stages(const paired_row& row) const {
    const auto family = static_cast<double>(std::max<std::size_t>(trials_.size(), 1));
    const std::size_t confirm_pairs =
        row.confirm.empty() ? rules_.confirm_pairs : row.confirm.size();
    return {{row.screen.size(), rules_.screen_level},
            {confirm_pairs, rules_.confirm_level / family}};
  }

  double margin_of(const paired_row& row) const {
    return std::log1p(rules_.margin_ratio(row.name));
  }

  std::string margin_source(const paired_row& row) const {
    const auto floor = rules_.floor_of(row.name);
    if (rules_.threshold_ratio >= floor.value_or(rules_.uncalibrated_floor_ratio))
      return "threshold";
    return floor ? rules_.floor_source : "floor of an uncalibrated runner";
  }

  void equivalence(const paired_row& row, bool is_tried, model::comparison_row& out) {
    const auto& pairs = row.confirm.empty() ? row.screen : row.confirm;
    const signed_rank_sample sample(cost_differences(pairs, row.better));
    const signed_rank_null& null = nulls_.of(sample.size());
    const double level = 0.5 * (1.0 - rules_.interval_level);
    const double margin = margin_of(row);
    const bool is_within =
        sample.p_of_at_least(null, margin) <= level && sample.p_of_at_most(null, -margin) <= level;
    if (is_within && out.reason.empty()) out.state = model::row_state::unchanged;
    if (!is_within && out.reason.empty()) out.reason = why_open(sample.size(), is_tried, row);
  }

  std::string why_open(std::size_t pairs, bool is_tried, const paired_row& row) const {
    const std::size_t needed = is_tried && !row.confirm.empty()
                                   ? pairs_to_confirm()
                                   : pairs_needed(0.5 * (1.0 - rules_.interval_level));
    if (pairs < needed)
      return fmt::format("needs at least {} pairs to say anything, and has {}", needed, pairs);
    if (is_tried && row.confirm.empty()) return "passed the screen; no fresh pairs confirmed it";
    if (is_tried) return "passed the screen; fresh pairs did not confirm it";
    return "the interval reaches beyond the margin";
  }

  const std::vector<paired_row>& rows_;
  const decision_rules& rules_;
  null_cache& nulls_;
  std::vector<trial> trials_;
};

}  // namespace

std::vector<double> cost_differences(const std::vector<value_pair>& pairs,
                                     model::direction better) {
  const double sign = better == model::direction::higher_is_better ? -1.0 : 1.0;
  std::vector<double> differences;
  differences.reserve(pairs.size());
  for (const value_pair& pair : pairs) {
    ASSAY_CHECK(pair.base > 0 && pair.head > 0, "a time or rate that is not above 0");
    differences.push_back(sign * pair.log_ratio.value_or(std::log(pair.head / pair.base)));
  }
  return differences;
}

screen_result screened(const paired_row& row, const decision_rules& rules, null_cache& nulls) {
  if (!has_hypothesis(row) || row.screen.empty()) return {};
  const signed_rank_sample sample(cost_differences(row.screen, row.better));
  const signed_rank_null& null = nulls.of(sample.size());
  const double margin = std::log1p(rules.margin_ratio(row.name));
  return {p_of(sample, null, true, margin) <= rules.screen_level,
          p_of(sample, null, false, margin) <= rules.screen_level};
}

std::vector<model::comparison_row> decide_rows(const std::vector<paired_row>& rows,
                                               const decision_rules& rules, null_cache& nulls) {
  return decider(rows, rules, nulls).decide();
}

void withdraw_findings(std::vector<model::comparison_row>& rows, const std::string& why) {
  for (model::comparison_row& row : rows) {
    const bool is_finding =
        row.state == model::row_state::regressed || row.state == model::row_state::improved;
    if (!is_finding || row.is_exact) continue;
    row.reason = fmt::format("looked {}, and is withdrawn: {}", to_string(row.state), why);
    row.state = model::row_state::inconclusive;
  }
}

}  // namespace assay::compare
