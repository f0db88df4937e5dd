// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/campaigns/compare_pool.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "harness/compare/counter_rng.h"
#include "harness/compare/paired_comparison.h"

namespace assay::campaigns {
namespace {

using nlohmann::json;

constexpr int format_version = 2;

four planted_four(const json& values) {
  four read;
  read.is_base_first = values.at(0).get<int>() == 1;
  for (std::size_t i = 0; i < read.ns.size(); ++i) read.ns[i] = values.at(i + 1).get<double>();
  return read;
}

pool_block block_of(const json& line, const pool& of, const std::vector<unsigned>& percents) {
  pool_block block;
  block.at_s = line.at("at_ms").get<double>() * 1e-3;
  for (const json& values : line.at("ns"))
    block.plain.push_back({values.get<std::array<double, 4>>()});
  for (const unsigned percent : percents) {
    const json& fours = line.at(fmt::format("plus{}", percent));
    for (std::size_t i = 0; i < of.planted_rows.size(); ++i)
      block.planted[percent][of.planted_rows[i]] = planted_four(fours.at(i));
  }
  return block;
}

cut_run empty_run(const pool& from) {
  cut_run run;
  for (const std::string& name : from.rows) {
    compare::paired_row row;
    row.name = name;
    row.metric = "real_time";
    row.unit = "ns";
    row.better = model::direction::lower_is_better;
    run.rows.push_back(std::move(row));
  }
  return run;
}

}  // namespace

std::uint64_t pool::results() const {
  std::uint64_t all = equal_results();
  for (const pool_block& block : blocks)
    for (const auto& each : block.planted) all += 4 * each.second.size();
  return all;
}

bool pool::is_planted(std::size_t row) const {
  return std::find(planted_rows.begin(), planted_rows.end(), row) != planted_rows.end();
}

result<pool> read_pool(const std::string& file) {
  std::ifstream in(file);
  pool all;
  all.file = file;
  std::vector<unsigned> percents;
  std::size_t number = 0;
  for (std::string text; std::getline(in, text);) {
    ++number;
    const json line = json::parse(text, nullptr, false);
    // The last line of a run that was killed.
    if (line.is_discarded() && in.peek() == std::ifstream::traits_type::eof()) break;
    try {
      if (number == 1) {
        if (line.at("assay_pool").get<int>() != format_version) break;
        all.rows = line.at("rows").get<std::vector<std::string>>();
        all.planted_rows = line.at("planted").get<std::vector<std::size_t>>();
        percents = line.at("percents").get<std::vector<unsigned>>();
      } else {
        all.blocks.push_back(block_of(line, all, percents));
        if (all.blocks.back().plain.size() != all.rows.size())
          return ASSAY_FAIL(unusable_input, fmt::format("{}: line {}: lacks rows", file, number));
      }
    } catch (const json::exception&) {
      return ASSAY_FAIL(unusable_input, fmt::format("{}: line {}: is no block", file, number));
    }
  }
  if (all.rows.empty()) return ASSAY_FAIL(unusable_input, file + ": is no pool; record one");
  return all;
}

void add_pairs(const four& of, bool is_base_first, compare::paired_row& row,
               std::vector<compare::value_pair>& to) {
  const auto& ns = of.ns;
  const auto pair = [&](double one, double other, bool is_base_one) {
    to.push_back(is_base_one ? compare::value_pair{one, other, {}}
                             : compare::value_pair{other, one, {}});
  };
  pair(ns[0], ns[1], is_base_first);
  pair(ns[2], ns[3], !is_base_first);
  (is_base_first ? row.contrasts.base : row.contrasts.head).push_back(std::log(ns[3] / ns[0]));
  (is_base_first ? row.contrasts.head : row.contrasts.base).push_back(std::log(ns[2] / ns[1]));
}

std::optional<cut_run> cut(const pool& from, fresh_blocks& left,
                           const compare::decision_rules& rules, unsigned percent,
                           std::uint64_t seed) {
  const std::size_t screen_blocks = rules.screen_pairs / 2;
  const std::size_t confirm_blocks = rules.confirm_pairs / 2;
  const std::size_t nearest_end = *std::min_element(left.ends.begin(), left.ends.end());
  if (left.next + screen_blocks + confirm_blocks > nearest_end) return std::nullopt;
  compare::counter_rng rng(seed, compare::rng_stream::pairing_plan);
  cut_run run = empty_run(from);
  run.first_block = left.next;
  const auto take = [&](std::size_t block, std::size_t row, bool is_screen) {
    compare::paired_row& into = run.rows[row];
    auto& pairs = is_screen ? into.screen : into.confirm;
    const bool is_base_first = rng.below(2) == 0;
    if (percent > 0 && from.is_planted(row)) {
      const four& of = from.blocks[block].planted.at(percent).at(row);
      add_pairs(of, of.is_base_first, into, pairs);
    } else {
      add_pairs(from.blocks[block].plain[row], is_base_first, into, pairs);
    }
  };
  for (std::size_t i = 0; i < screen_blocks; ++i, ++left.next)
    for (std::size_t row = 0; row < run.rows.size(); ++row) take(left.next, row, true);
  for (const std::size_t row : compare::rows_to_confirm(run.rows, rules)) {
    left.ends[row] -= confirm_blocks;
    ++run.confirmed_rows;
    for (std::size_t i = 0; i < confirm_blocks; ++i) take(left.ends[row] + i, row, false);
  }
  return run;
}

cut_run draw(const std::vector<pool>& pools, std::size_t first,
             const compare::decision_rules& rules, std::uint64_t seed) {
  compare::counter_rng rng(seed, compare::rng_stream::pairing_plan, 3);
  const auto drawn = [&]() -> const pool_block& {
    const pool& from = pools[static_cast<std::size_t>(rng.below(pools.size()))];
    return from.blocks[first + static_cast<std::size_t>(rng.below(from.blocks.size() - first))];
  };
  cut_run run = empty_run(pools.front());
  for (std::size_t i = 0; i < rules.screen_pairs / 2; ++i) {
    const pool_block& block = drawn();
    for (std::size_t row = 0; row < run.rows.size(); ++row)
      add_pairs(block.plain[row], rng.below(2) == 0, run.rows[row], run.rows[row].screen);
  }
  for (const std::size_t row : compare::rows_to_confirm(run.rows, rules)) {
    ++run.confirmed_rows;
    for (std::size_t i = 0; i < rules.confirm_pairs / 2; ++i)
      add_pairs(drawn().plain[row], rng.below(2) == 0, run.rows[row], run.rows[row].confirm);
  }
  return run;
}

}  // namespace assay::campaigns
