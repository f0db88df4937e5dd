// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/stored_comparison.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "harness/compare/exact_rows.h"
#include "harness/compare/multiplicity.h"
#include "harness/compare/rank_sum.h"
#include "harness/compare/row_decision.h"
#include "harness/compare/suspicion.h"

namespace assay::compare {
namespace {

using model::row_state;

struct side_test {
  std::size_t row = 0;
  bool is_worse = false;
  double p = 1.0;
};

model::quantity side_quantity(const model::sample_row* row) {
  if (row == nullptr) return {.absence = "not in this side"};
  if (!row->failure.empty()) return {.absence = row->failure};
  if (row->process_values.empty()) return {.absence = "has no number"};
  std::vector<double> values = row->process_values;
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  const double median =
      values.size() % 2 == 1 ? values[half] : 0.5 * (values[half - 1] + values[half]);
  return {.is_present = true, .is_real = true, .integer = 0, .real = median, .absence = {}};
}

// The files of one side are of several machines, or builds: no number of them is of one.
std::string mixture_in(const char* side, const model::sample_set& set) {
  for (std::size_t i = 0; i < set.environment.size(); ++i)
    for (std::size_t j = i + 1; j < set.environment.size(); ++j)
      if (set.environment[i].name == set.environment[j].name &&
          set.environment[i].value != set.environment[j].value)
        return fmt::format("mixed environments: the files of {} have {} {} and {}", side,
                           set.environment[i].name, set.environment[i].value,
                           set.environment[j].value);
  return {};
}

std::string environment_difference(const model::sample_set& base, const model::sample_set& head) {
  if (std::string mixed = mixture_in("base", base); !mixed.empty()) return mixed;
  if (std::string mixed = mixture_in("head", head); !mixed.empty()) return mixed;
  for (const model::fact& b : base.environment)
    for (const model::fact& h : head.environment)
      if (b.name == h.name && b.value != h.value)
        return fmt::format("{}: {} against {}", b.name, b.value, h.value);
  return {};
}

std::vector<double> logarithms(const std::vector<double>& values) {
  std::vector<double> logs;
  for (const double v : values) logs.push_back(std::log(v));
  return logs;
}

bool is_all_positive(const model::sample_row& row) {
  return std::all_of(row.process_values.begin(), row.process_values.end(),
                     [](double v) { return v > 0; });
}

class comparison {
 public:
  comparison(const model::sample_set& base, const model::sample_set& head,
             const stored_rules& rules)
      : rules_(rules), matched_(match_rows(base, head, rules.aliases)) {
    if (!rules.is_any_environment) environment_ = environment_difference(base, head);
  }

  model::comparison_report judge() {
    for (const matched_row& each : matched_) add(each);
    decide();
    suggest_renames(report_.rows);
    judge_controls();
    report_.is_contaminated = !report_.contamination.empty();
    if (report_.is_contaminated) withdraw_findings(report_.rows, report_.contamination);
    if (std::string lost = mostly_missing(report_.rows); !lost.empty()) {
      report_.is_complete = false;
      report_.incompleteness = std::move(lost);
    }
    report_.blind_spots = {
        "anything that is smaller than what a machine does to itself between two runs",
        "which of the two the machine favoured: the runs were not interleaved"};
    return std::move(report_);
  }

 private:
  void add(const matched_row& each) {
    const model::sample_row& named = each.base != nullptr ? *each.base : *each.head;
    model::comparison_row out;
    out.name = named.name;
    out.metric = named.metric;
    out.unit = named.unit;
    out.better = named.better;
    out.is_exact = named.is_exact;
    out.is_advisory = true;
    out.base = side_quantity(each.base);
    out.head = side_quantity(each.head);
    if (each.base != nullptr) out.base_processes = each.base->process_values.size();
    if (each.head != nullptr) out.head_processes = each.head->process_values.size();
    if (!settle(each, out)) test(each, out);
    report_.rows.push_back(std::move(out));
  }

  // A failure comes first: a row that errored in head has not merely been added.
  bool settle(const matched_row& each, model::comparison_row& out) const {
    const auto settled = [&out](row_state state, std::string reason) {
      out.state = state;
      out.reason = std::move(reason);
      return true;
    };
    const auto failure_of = [](const model::sample_row* row) {
      return row == nullptr ? std::string() : row->failure;
    };
    const std::string base_failure = failure_of(each.base);
    const std::string head_failure = failure_of(each.head);
    if (!base_failure.empty() && !head_failure.empty())
      return settled(row_state::errored,
                     fmt::format("base: {}; head: {}", base_failure, head_failure));
    if (!base_failure.empty()) return settled(row_state::errored, "base: " + base_failure);
    if (!head_failure.empty()) return settled(row_state::errored, "head: " + head_failure);
    if (each.base == nullptr) return settled(row_state::added, {});
    if (each.head == nullptr)
      return settled(row_state::removed, each.base->is_exact ? lost_count_words : "");
    if (each.base->process_values.empty() || each.head->process_values.empty())
      return settled(row_state::errored, "a side has no number");
    if (each.base->unit != each.head->unit) {
      // The row has one unit, base's: head's number beside it would be one of base's units.
      out.head = {.absence = fmt::format("is given in {}", each.head->unit)};
      return settled(row_state::not_comparable,
                     fmt::format("{} against {}", each.base->unit, each.head->unit));
    }
    if (each.base->better != each.head->better || each.base->is_exact != each.head->is_exact)
      return settled(row_state::not_comparable, "the two sides mean different things by it");
    if (each.base->statistic != each.head->statistic && !each.base->statistic.empty() &&
        !each.head->statistic.empty())
      return settled(
          row_state::not_comparable,
          fmt::format("statistic: {} against {}", each.base->statistic, each.head->statistic));
    if (each.base->is_exact) {
      decide_exact(each.base->process_values, each.head->process_values, out.better, out);
      return true;
    }
    if (!environment_.empty()) return settled(row_state::not_comparable, environment_);
    if (is_all_positive(*each.base) && is_all_positive(*each.head)) return false;
    return settled(row_state::inconclusive, "a value is not above 0: there is no ratio");
  }

  void test(const matched_row& each, model::comparison_row& out) {
    const rank_sum_sample sample(logarithms(each.base->process_values),
                                 logarithms(each.head->process_values));
    const auto [known, is_new] = nulls_.try_emplace(
        std::pair(each.base->process_values.size(), each.head->process_values.size()),
        sample.null());
    const rank_sum_null& null = known->second;
    out.change_ratio = std::expm1(sample.estimate());
    out.interval_level_ratio = rules_.decision.interval_level;
    if (const auto found = sample.interval(null, rules_.decision.interval_level))
      out.interval = model::change_interval{std::expm1(found->low), std::expm1(found->high)};
    out.margin_ratio = std::max(rules_.decision.threshold_ratio, rules_.drift_ratio);
    out.margin_source = "drift between runs that are not paired";
    const double margin = std::log1p(out.margin_ratio);
    const double up = sample.p_of_at_most(null, margin);
    const double down = sample.p_of_at_least(null, -margin);
    const bool is_up_worse = out.better != model::direction::higher_is_better;
    const std::size_t at = report_.rows.size();
    tests_.push_back({at, true, is_up_worse ? up : down});
    tests_.push_back({at, false, is_up_worse ? down : up});
    smallest_p_.push_back(null.smallest_p());
  }

  void decide() {
    std::vector<double> p_values;
    for (const side_test& each : tests_) p_values.push_back(each.p);
    const std::vector<double> adjusted = holm_adjusted(p_values);
    for (std::size_t i = 0; i < tests_.size(); ++i) {
      model::comparison_row& row = report_.rows[tests_[i].row];
      row.p_value = std::min(adjusted[i], row.p_value.value_or(1.0));
      if (adjusted[i] > rules_.decision.confirm_level) continue;
      if (row.better == model::direction::unknown)
        row.reason = "it moved, and which way is better is unknown";
      else
        row.state = tests_[i].is_worse ? row_state::regressed : row_state::improved;
    }
    for (std::size_t i = 0; i < tests_.size(); i += 2) {
      model::comparison_row& row = report_.rows[tests_[i].row];
      if (row.state != row_state::inconclusive || !row.reason.empty()) continue;
      const double level = rules_.decision.confirm_level / static_cast<double>(tests_.size());
      row.reason = smallest_p_[i / 2] > level
                       ? "described only: too few processes to say anything"
                       : "described only: within what unpaired runs differ by";
    }
  }

  void judge_controls() {
    if (rules_.is_control) {
      for (const model::comparison_row& row : report_.rows) {
        if (!rules_.is_control(row.name) || row.is_exact) continue;
        if (!row.change_ratio) {
          report_.controls.push_back({.name = row.name,
                                      .detail = "named as a control",
                                      .unjudged = fmt::format("it is {}", to_string(row.state))});
          continue;
        }
        const double margin = std::log1p(rules_.decision.margin_ratio());
        model::control_line line{.name = row.name, .detail = "named as a control"};
        line.change_ratio = row.change_ratio;
        line.interval = row.interval;
        line.has_moved = std::abs(std::log1p(*row.change_ratio)) > margin;
        if (!line.has_moved && !row.interval) line.unjudged = "too few processes for an interval";
        if (line.has_moved)
          report_.contamination +=
              (report_.contamination.empty() ? "what cannot have changed has moved: " : ", ") +
              row.name;
        report_.controls.push_back(std::move(line));
      }
    }
    if (report_.contamination.empty()) report_.contamination = implausible_gain(report_.rows);
  }

  const stored_rules& rules_;
  std::vector<matched_row> matched_;
  std::string environment_;
  model::comparison_report report_;
  std::map<std::pair<std::size_t, std::size_t>, rank_sum_null> nulls_;
  std::vector<side_test> tests_;
  std::vector<double> smallest_p_;
};

void describe(const char* side, const model::sample_set& set, model::comparison_report& report) {
  report.facts.push_back({side, fmt::format("{} ({})", set.source, set.format)});
  for (const auto* list : {&set.environment, &set.facts})
    for (const model::fact& each : *list)
      report.facts.push_back({fmt::format("{} {}", side, each.name), each.value});
  for (const std::string& note : set.notes)
    report.notes.push_back(fmt::format("{}: {}", side, note));
}

}  // namespace

model::comparison_report judge_stored(const model::sample_set& base, const model::sample_set& head,
                                      const stored_rules& rules) {
  model::comparison_report report = comparison(base, head, rules).judge();
  describe("base", base, report);
  describe("head", head, report);
  return report;
}

}  // namespace assay::compare
