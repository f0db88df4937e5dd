// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// How often a comparison cries wolf, and how often it sees one, on a pool that pool_recorder made.
//   compare_campaign OUT.json POOL…   comparisons without overlap, of equal builds and with what
//   was
//                                     planted, as Markdown on stdout and as JSON
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <future>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "harness/compare/median.h"
#include "tests/campaigns/compare_pool.h"
#include "tests/campaigns/pool_floors.h"
#include "tests/campaigns/pool_judging.h"

namespace assay::campaigns {
namespace {

using json = nlohmann::ordered_json;

constexpr double low_floor_ratio = 0.02;
constexpr double high_floor_ratio = 0.05;
constexpr std::size_t drawn_comparisons = 1000;

class campaign {
 public:
  explicit campaign(std::vector<pool> pools)
      : pools_(std::move(pools)), floors_(floors_of(pools_, rules_.confirm_pairs)) {
    rules_.floor_of_row = floors_.of_row;
    rules_.floor_source = "floor of this pool";
    std::map<unsigned, std::future<judgement>> running;
    for (const unsigned percent : {0U, 5U, 10U})
      running[percent] = std::async(
          std::launch::async, [this, percent] { return judge(pools_, floors_, rules_, percent); });
    for (auto& [percent, each] : running) judged_[percent] = each.get();
    if (has_runs()) drawn_ = judge_drawn(pools_, floors_, rules_, drawn_comparisons);
  }

  bool has_runs() const {
    return std::all_of(judged_.begin(), judged_.end(),
                       [](const auto& each) { return !each.second.runs.empty(); });
  }

  void print() const {
    print_pool();
    for (const auto& [percent, each] : judged_) print_runs(percent, each);
    print_drawn();
    print_rows();
  }

  json as_json() const {
    json out = json::object();
    for (const auto& [percent, each] : judged_) {
      json& runs = out["runs"][fmt::format("plus{}", percent)] = json::array();
      for (const judged_run& run : each.runs)
        runs.push_back({{"pool", run.file.substr(run.file.rfind('/') + 1)},
                        {"first_block", run.first_block},
                        {"exit_code", run.exit_code},
                        {"contamination", run.contamination},
                        {"false_alarms", run.false_alarms},
                        {"confirmed_rows", run.confirmed_rows}});
    }
    for (const std::string& name : pools_.front().rows) {
      json row = json::object();
      row["name"] = name;
      row["floor_ratio"] = floors_.of_row.count(name) > 0 ? json(floors_.of_row.at(name)) : json();
      row["results_count"] = floors_.results.at(name);
      row["sees_ratio"] = sees(name);
      for (const unsigned percent : {5U, 10U}) {
        const share& found = judged_.at(percent).rows.at(name).found;
        if (found.tried > 0) row[fmt::format("found_plus{}", percent)] = {found.seen, found.tried};
      }
      out["rows"].push_back(std::move(row));
    }
    return out;
  }

 private:
  double floor_of(const std::string& name) const {
    const auto found = floors_.of_row.find(name);
    return found == floors_.of_row.end() ? rules_.uncalibrated_floor_ratio : found->second;
  }

  double sees(const std::string& name) const {
    auto visible = judged_.at(0).rows.at(name).visible;
    return visible.empty() ? 0.0 : compare::median_of(std::move(visible));
  }

  void print_pool() const {
    std::uint64_t equal = 0;
    std::uint64_t all = 0;
    double seconds = 0;
    for (const pool& each : pools_) {
      equal += each.equal_results();
      all += each.results();
      seconds += each.blocks.empty() ? 0.0 : each.blocks.back().at_s;
    }
    const double process_s = seconds / static_cast<double>(std::max<std::uint64_t>(all, 1));
    fmt::print(
        "* pool: {} results of {} rows by {} workers, {} of them of equal builds, the others "
        "of planted fours; {:.2f} ms a result, its start included\n",
        all, pools_.front().rows.size(), pools_.size(), equal, 1e3 * process_s);
    fmt::print(
        "* a row costs {:.2f} s for its screen of {} pairs, and {:.2f} s more where {} pairs "
        "confirm it\n",
        2 * static_cast<double>(rules_.screen_pairs) * process_s, rules_.screen_pairs,
        2 * static_cast<double>(rules_.confirm_pairs) * process_s, rules_.confirm_pairs);
    fmt::print(
        "* floors: from the first {} blocks of each worker, which no comparison uses: {} "
        "results a row, family pooled below 40\n",
        floors_.used_blocks, floors_.results.begin()->second);
  }

  // Without bounds: however many are drawn, they say no more than the blocks that they are drawn
  // from.
  void print_drawn() const {
    std::size_t red = 0, clean = 0;
    std::map<std::string, int> rows;
    for (const judged_run& run : drawn_.runs) {
      red += !run.false_alarms.empty();
      clean += run.exit_code == 0;
      for (const std::string& each : run.false_alarms) ++rows[each];
    }
    fmt::print("\n### Equal builds, resampled\n\n");
    fmt::print(
        "* comparisons whose blocks are drawn with replacement from the same ones, not independent "
        "and without a bound: {}\n* with a finding that is none: {} ({:.2f} %)\n* exit 0: {}\n",
        drawn_.runs.size(), red,
        100.0 * static_cast<double>(red) / static_cast<double>(drawn_.runs.size()), clean);
    for (const auto& [name, count] : rows) fmt::print("* found there: {} ({}×)\n", name, count);
  }

  static void print_runs(unsigned percent, const judgement& each) {
    share red, clean, contaminated;
    for (const judged_run& run : each.runs) {
      red.add(!run.false_alarms.empty());
      clean.add(run.exit_code == 0);
      contaminated.add(!run.contamination.empty());
    }
    fmt::print("\n### {}\n\n", percent == 0
                                   ? std::string("Equal builds")
                                   : fmt::format("{} % more work in the planted rows", percent));
    fmt::print("* comparisons without overlap: {}\n", each.runs.size());
    fmt::print("* with a finding that is none: {}\n", red.words());
    if (percent == 0) fmt::print("* exit 0: {}\n", clean.words());
    fmt::print("* contaminated: {}\n", contaminated.words());
    for (const auto& [name, account] : each.rivals) {
      fmt::print("* {}: comparisons with a row called worse that is not: {}; rows: {}\n", name,
                 account.runs.words(), account.rows.words());
      if (percent > 0)
        fmt::print("* {}: planted rows called worse: {}\n", name, account.found.words());
    }
  }

  void print_rows() const {
    fmt::print("\n### Rows\n\n");
    std::size_t low = 0;
    std::size_t high = 0;
    for (const std::string& name : pools_.front().rows) {
      low += floor_of(name) <= low_floor_ratio;
      high += floor_of(name) > high_floor_ratio;
    }
    fmt::print("* floors: {} rows at most 2 %, {} above 5 %\n", low, high);
    for (const unsigned percent : {5U, 10U}) print_power(percent);
    fmt::print("\n| row | floor | sees | +5 % found | +10 % found |\n|---|---:|---:|---:|---:|\n");
    for (const std::string& name : pools_.front().rows)
      fmt::print("| {} | {:.2f} %{} | {:.1f} % | {} | {} |\n", name, 100 * floor_of(name),
                 floors_.of_row.count(name) > 0 ? "" : " (uncalibrated)", 100 * sees(name),
                 found_words(5, name), found_words(10, name));
  }

  std::string found_words(unsigned percent, const std::string& name) const {
    const share& found = judged_.at(percent).rows.at(name).found;
    return found.tried == 0 ? std::string() : fmt::format("{} of {}", found.seen, found.tried);
  }

  void print_power(unsigned percent) const {
    share low, all;
    std::string worst;
    double worst_rate = 2.0;
    for (const auto& [name, account] : judged_.at(percent).rows) {
      const share& found = account.found;
      if (found.tried == 0) continue;
      all.seen += found.seen;
      all.tried += found.tried;
      if (floor_of(name) > low_floor_ratio) continue;
      low.seen += found.seen;
      low.tried += found.tried;
      const double rate = static_cast<double>(found.seen) / static_cast<double>(found.tried);
      if (rate < worst_rate) worst = name;
      worst_rate = std::min(rate, worst_rate);
    }
    fmt::print("* +{} % found, rows with a floor of at most 2 %: {}\n", percent, low.words());
    if (!worst.empty())
      fmt::print("* +{} %: the worst of them: {}, {:.1f} %\n", percent, worst, 100.0 * worst_rate);
    fmt::print("* +{} % found, all planted rows: {}\n", percent, all.words());
  }

  std::vector<pool> pools_;
  compare::decision_rules rules_;
  pool_floors floors_;
  std::map<unsigned, judgement> judged_;
  judgement drawn_;
};

int main_of(const std::vector<std::string>& words) {
  if (words.size() < 2) {
    fmt::print(stderr, "usage: compare_campaign OUT.json POOL…\n");
    return 2;
  }
  std::vector<pool> pools;
  for (std::size_t i = 1; i < words.size(); ++i) {
    auto read = read_pool(words[i]);
    if (read && !pools.empty() && read->rows != pools.front().rows)
      read = ASSAY_FAIL(unusable_input, words[i] + ": has other rows than the first pool");
    if (!read) {
      fmt::print(stderr, "{}\n", read.error().message);
      return 3;
    }
    pools.push_back(std::move(*read));
  }
  const campaign done(std::move(pools));
  if (!done.has_runs()) {
    fmt::print(stderr, "the pools are too short for a comparison; record more\n");
    return 3;
  }
  done.print();
  std::ofstream out(words[0]);
  out << done.as_json().dump(1) << '\n';
  return out.flush() ? 0 : 3;
}

}  // namespace
}  // namespace assay::campaigns

int main(int argc, char** argv) {
  return assay::campaigns::main_of({argv + 1, argv + argc});
}
