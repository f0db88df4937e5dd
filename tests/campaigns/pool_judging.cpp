// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/campaigns/pool_judging.h"

#include <fmt/format.h>

#include "harness/compare/binomial_bound.h"
#include "harness/compare/paired_comparison.h"
#include "reports/model/comparison_outcome.h"
#include "tests/campaigns/compare_rivals.h"

namespace assay::campaigns {
namespace {

class judging {
 public:
  judging(const compare::decision_rules& rules, unsigned percent)
      : rules_(rules), percent_(percent) {}

  void take(const pool& from, std::size_t first) {
    fresh_blocks left(from, first);
    while (const auto one = cut(from, left, rules_, percent_, ++seed_)) {
      judge(from, *one);
      ask_rivals(from, one->first_block);
    }
  }

  void take_drawn(const std::vector<pool>& pools, std::size_t first, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
      judge(pools.front(), draw(pools, first, rules_, ++seed_));
  }

  judgement done() { return std::move(out_); }

 private:
  bool is_planted(const pool& from, std::size_t row) const {
    return percent_ > 0 && from.is_planted(row);
  }

  void judge(const pool& from, const cut_run& one) {
    const auto report = compare::judge_pairs(one.rows, rules_);
    judged_run run{.file = from.file,
                   .first_block = one.first_block,
                   .exit_code = static_cast<int>(model::outcome_of(report)),
                   .contamination = report.contamination,
                   .false_alarms = {},
                   .confirmed_rows = one.confirmed_rows};
    for (std::size_t row = 0; row < report.rows.size(); ++row) {
      const auto& judged = report.rows[row];
      row_account& account = out_.rows[judged.name];
      if (judged.visible_ratio) account.visible.push_back(*judged.visible_ratio);
      const bool is_worse = judged.state == model::row_state::regressed;
      const bool is_called = is_worse || judged.state == model::row_state::improved;
      if (is_planted(from, row)) {
        account.found.add(is_worse);
      } else {
        account.false_alarms.add(is_called);
        if (is_called)
          run.false_alarms.push_back(
              fmt::format("{} {:+.1f} %", judged.name, 100 * judged.change_ratio.value_or(0)));
      }
    }
    out_.runs.push_back(std::move(run));
  }

  // A run whole before the other: the base from the screen's first half, as many of the head after.
  sequential_row in_sequence(const pool& from, std::size_t first, std::size_t row) const {
    const std::size_t half = rules_.screen_pairs / 4;
    sequential_row out;
    for (std::size_t i = 0; i < half; ++i)
      for (const double ns : from.blocks[first + i].plain[row].ns) out.base.push_back(ns);
    if (!is_planted(from, row)) {
      for (std::size_t i = half; i < 2 * half; ++i)
        for (const double ns : from.blocks[first + i].plain[row].ns) out.head.push_back(ns);
      return out;
    }
    // Two of a planted four are of the head.
    for (std::size_t i = half; out.head.size() < out.base.size(); ++i) {
      const four& of = from.blocks[first + i].planted.at(percent_).at(row);
      for (const std::size_t slot : {0U, 1U, 2U, 3U})
        if ((slot == 0 || slot == 3) != of.is_base_first) out.head.push_back(of.ns[slot]);
    }
    return out;
  }

  void ask_rivals(const pool& from, std::size_t first) {
    for (const rival& each : rivals()) {
      rival_account& account = out_.rivals[std::string(each.name)];
      bool is_any = false;
      for (std::size_t row = 0; row < from.rows.size(); ++row) {
        const bool says = each.says_worse(in_sequence(from, first, row));
        const bool is_in = is_planted(from, row);
        (is_in ? account.found : account.rows).add(says);
        is_any = is_any || (says && !is_in);
      }
      account.runs.add(is_any);
    }
  }

  const compare::decision_rules& rules_;
  unsigned percent_;
  std::uint64_t seed_ = 0;
  judgement out_;
};

}  // namespace

std::string share::words() const {
  if (tried == 0) return "none of none";
  return fmt::format("{} of {} ({:.1f} %; between {:.1f} and {:.1f} % with 95 % each side)", seen,
                     tried, 100.0 * static_cast<double>(seen) / static_cast<double>(tried),
                     100.0 * compare::rate_at_least(seen, tried, 0.95),
                     100.0 * compare::rate_at_most(seen, tried, 0.95));
}

judgement judge(const std::vector<pool>& pools, const pool_floors& floors,
                const compare::decision_rules& rules, unsigned percent) {
  judging all(rules, percent);
  for (const pool& each : pools) all.take(each, floors.used_blocks);
  return all.done();
}

judgement judge_drawn(const std::vector<pool>& pools, const pool_floors& floors,
                      const compare::decision_rules& rules, std::size_t count) {
  judging all(rules, 0);
  all.take_drawn(pools, floors.used_blocks, count);
  return all.done();
}

}  // namespace assay::campaigns
