// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// How often a comparison cries wolf, and how often it sees one, on a recorded pool.
//   compare_campaign record POOL BENCH MINUTES   adds to the pool
//   compare_campaign judge POOL PERCENT          comparisons without overlap, PERCENT planted (0:
//   A/A)
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "harness/compare/binomial_bound.h"
#include "harness/compare/calibration.h"
#include "harness/compare/paired_comparison.h"
#include "harness/compare/row_decision.h"
#include "harness/compare/signed_rank.h"
#include "reports/model/comparison_outcome.h"
#include "tests/campaigns/compare_pool.h"
#include "tests/campaigns/compare_rivals.h"
#include "tests/campaigns/pool_rows.h"

namespace assay::campaigns {
namespace {

constexpr double low_floor_ratio = 0.02;
constexpr double high_floor_ratio = 0.05;
constexpr std::size_t blocks_for_floors = 64;  // four results of 32 pairs a row, pooled by family

struct floors {
  std::map<std::string, double> of_row;
  std::size_t used_blocks = 0;
};

std::string family_of(const std::string& name) {
  return name.substr(0, name.find('/'));
}

// From the pool's first blocks, which no comparison uses.
floors floors_of(const pool& all, std::size_t pairs_a_result) {
  floors found;
  found.used_blocks = std::min(blocks_for_floors, all.blocks.size() / 2);
  compare::decision_rules rules;
  rules.screen_pairs = 2 * found.used_blocks;
  rules.floor_ratio = 1e3;  // nothing passes: pairs alone are wanted
  const cut_run first = cut(all, 0, rules, {}, 1);
  std::map<std::string, std::vector<double>> results;
  for (const compare::paired_row& row : first.rows) {
    const auto differences = compare::cost_differences(row.screen, row.better);
    for (std::size_t at = 0; at + pairs_a_result <= differences.size(); at += pairs_a_result) {
      const auto from = differences.begin() + static_cast<std::ptrdiff_t>(at);
      const std::vector<double> window(from, from + static_cast<std::ptrdiff_t>(pairs_a_result));
      results[family_of(row.name)].push_back(
          std::abs(compare::signed_rank_sample(window).estimate()));
    }
  }
  for (const std::string& name : all.rows) {
    const auto& values = results[family_of(name)];
    const auto bound = values.size() < compare::fewest_results
                           ? std::nullopt
                           : compare::conformal_bound(values, compare::floor_level);
    if (bound) found.of_row[name] = std::expm1(*bound);
  }
  return found;
}

sequential_row in_sequence(const pool& all, std::size_t first, std::size_t blocks, std::size_t row,
                           double shift) {
  sequential_row out;
  for (std::size_t i = 0; i < blocks; ++i)
    for (const double ns : all.blocks[first + i][row])
      (i < blocks / 2 ? out.base : out.head).push_back(i < blocks / 2 ? ns : ns * std::exp(shift));
  return out;
}

struct share {
  std::uint64_t seen = 0;
  std::uint64_t tried = 0;
  void add(bool is_seen) {
    seen += is_seen;
    ++tried;
  }
  std::string words() const {
    if (tried == 0) return "none of none";
    return fmt::format("{} of {} ({:.1f} %; between {:.1f} and {:.1f} % with 95 % each side)", seen,
                       tried, 100.0 * static_cast<double>(seen) / static_cast<double>(tried),
                       100.0 * compare::rate_at_least(seen, tried, 0.95),
                       100.0 * compare::rate_at_most(seen, tried, 0.95));
  }
};

class judging {
 public:
  judging(const pool& all, unsigned percent)
      : all_(all), floors_(floors_of(all, rules_.confirm_pairs)) {
    planted_ = {std::log1p(percent / 100.0), percent == 0 ? nullptr : is_planted};
    rules_.floor_of_row = floors_.of_row;
    rules_.floor_source = "floor of this pool";
  }

  void run() {
    const std::size_t most = (rules_.screen_pairs + rules_.confirm_pairs) / 2;
    std::size_t at = floors_.used_blocks;
    for (std::uint64_t seed = 1; at + most <= all_.blocks.size(); ++seed) {
      const cut_run one = cut(all_, at, rules_, planted_, seed);
      judge(one);
      ask_rivals(at);
      at += one.used_blocks;
    }
  }

  void print(unsigned percent) const {
    fmt::print("* pool: {} results of {} rows, {} blocks, {} of them for the floors\n",
               all_.results(), all_.rows.size(), all_.blocks.size(), floors_.used_blocks);
    fmt::print("* comparisons without overlap: {}\n", red_.tried);
    if (red_.tried == 0) fmt::print("* the pool is too short for one: record more\n");
    fmt::print("* exit 1 (red): {}\n", red_.words());
    fmt::print("* exit 0: {}\n", clean_.words());
    fmt::print("* contaminated: {}\n", contaminated_.words());
    print_floors();
    for (const auto& [name, count] : rival_runs_)
      fmt::print("* {}: comparisons with a row called worse that is not: {}; rows: {}\n", name,
                 count.words(), rival_rows_.at(name).words());
    if (percent > 0) print_power(percent);
  }

 private:
  double floor_of(const std::string& name) const {
    const auto found = floors_.of_row.find(name);
    return found == floors_.of_row.end() ? rules_.uncalibrated_floor_ratio : found->second;
  }

  void judge(const cut_run& one) {
    const auto report = compare::judge_pairs(one.rows, rules_);
    const model::outcome outcome = model::outcome_of(report);
    bool is_red = false;
    for (const auto& row : report.rows) {
      const bool is_found = row.state == model::row_state::regressed;
      if (planted_.is_in != nullptr && is_planted(row.name))
        found_[row.name].add(is_found);
      else
        is_red = is_red || is_found;
    }
    red_.add(is_red);
    clean_.add(outcome == model::outcome::clean);
    contaminated_.add(report.is_contaminated);
  }

  void ask_rivals(std::size_t first) {
    const std::size_t blocks = rules_.screen_pairs / 2;
    for (const rival& each : rivals()) {
      bool is_any = false;
      for (std::size_t row = 0; row < all_.rows.size(); ++row) {
        const std::string& name = all_.rows[row];
        const bool is_in = planted_.is_in != nullptr && is_planted(name);
        const bool says =
            each.says_worse(in_sequence(all_, first, blocks, row, is_in ? planted_.ln : 0.0));
        const std::string rule(each.name);
        (is_in ? rival_found_ : rival_rows_)[rule].add(says);
        is_any = is_any || (says && !is_in);
      }
      rival_runs_[std::string(each.name)].add(is_any);
    }
  }

  void print_floors() const {
    std::size_t low = 0;
    std::string high;
    std::size_t high_count = 0;
    for (const std::string& name : all_.rows) {
      low += floor_of(name) <= low_floor_ratio;
      if (floor_of(name) <= high_floor_ratio) continue;
      ++high_count;
      high += fmt::format("{}{} ({:.1f} %)", high.empty() ? "" : ", ", name, 100 * floor_of(name));
    }
    fmt::print("* floors: {} rows at most 2 %, {} above 5 %{}{}\n", low, high_count,
               high_count == 0 ? "" : ": ", high);
  }

  void print_power(unsigned percent) const {
    share low;
    share all;
    std::string worst;
    double worst_rate = 2.0;
    for (const auto& [name, count] : found_) {
      all.seen += count.seen;
      all.tried += count.tried;
      if (floor_of(name) > low_floor_ratio) continue;
      low.seen += count.seen;
      low.tried += count.tried;
      const double rate = static_cast<double>(count.seen) / static_cast<double>(count.tried);
      if (rate < worst_rate) worst = name;
      worst_rate = std::min(rate, worst_rate);
    }
    fmt::print("* planted +{} % found, rows with a floor of at most 2 %: {}\n", percent,
               low.words());
    if (!worst.empty())
      fmt::print("* the worst of them: {}, {:.1f} %\n", worst, 100.0 * worst_rate);
    fmt::print("* planted +{} % found, all rows: {}\n", percent, all.words());
    for (const auto& [name, count] : rival_found_)
      fmt::print("* {}: planted rows called worse: {}\n", name, count.words());
  }

  const pool& all_;
  compare::decision_rules rules_;
  floors floors_;
  planted_shift planted_;
  share red_, clean_, contaminated_;
  std::map<std::string, share> found_, rival_runs_, rival_rows_, rival_found_;
};

int failed(const error& why) {
  fmt::print(stderr, "{}\n", why.message);
  return 3;
}

int main_of(const std::vector<std::string>& words) {
  if (words.size() == 4 && words[0] == "record") {
    const auto recorded = record_pool(words[1], words[2], std::atof(words[3].c_str()));
    if (!recorded) return failed(recorded.error());
    const auto all = read_pool(words[1]);
    if (!all) return failed(all.error());
    fmt::print("{}: {} results\n", words[1], all->results());
    return 0;
  }
  if (words.size() == 3 && words[0] == "judge") {
    const auto all = read_pool(words[1]);
    if (!all) return failed(all.error());
    const auto percent = static_cast<unsigned>(std::atoi(words[2].c_str()));
    judging judge(*all, percent);
    judge.run();
    judge.print(percent);
    return 0;
  }
  fmt::print(stderr, "usage: compare_campaign record POOL BENCH MINUTES | judge POOL PERCENT\n");
  return 2;
}

}  // namespace
}  // namespace assay::campaigns

int main(int argc, char** argv) {
  return assay::campaigns::main_of({argv + 1, argv + argc});
}
