// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/campaigns/compare_pool.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "harness/compare/counter_rng.h"
#include "harness/compare/paired_comparison.h"
#include "harness/compare/process_runner.h"
#include "runtime/telemetry/clock.h"

namespace assay::campaigns {
namespace {

using nlohmann::json;
using slots = std::array<double, 4>;

result<std::string> said_by(const std::vector<std::string>& command) {
  ASSAY_TRY_ASSIGN(const auto ending, compare::run_process({command, 60'000'000'000, {}}));
  if (!ending.is_good())
    return ASSAY_FAIL(unavailable, command.front() + ": " + compare::failure_words(ending));
  return ending.out;
}

result<std::vector<std::string>> rows_of(const std::string& bench) {
  ASSAY_TRY_ASSIGN(const std::string out, said_by({bench, "--benchmark_list_tests=true"}));
  std::vector<std::string> rows;
  std::size_t start = 0;
  for (std::size_t end = 0; (end = out.find('\n', start)) != std::string::npos; start = end + 1)
    rows.push_back(out.substr(start, end - start));
  return rows;
}

result<json> record_block(const std::string& bench, const std::vector<std::string>& rows,
                          std::uint64_t number) {
  std::vector<std::size_t> order(rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  compare::counter_rng rng(number, compare::rng_stream::pairing_plan);
  rng.shuffle(order);
  std::vector<slots> block(rows.size());
  for (const std::size_t row : order)
    for (double& ns : block[row]) {
      ASSAY_TRY_ASSIGN(const std::string out, said_by({bench, "--once=" + rows[row]}));
      ns = std::stod(out);
    }
  json line = json::object();
  line["block"] = number;
  line["ns"] = block;
  return line;
}

}  // namespace

result<void> record_pool(const std::string& file, const std::string& bench, double minutes) {
  ASSAY_TRY_ASSIGN(const auto rows, rows_of(bench));
  std::uint64_t number = 0;
  if (std::ifstream(file).good()) {
    ASSAY_TRY_ASSIGN(const pool before, read_pool(file));
    if (before.rows != rows)
      return ASSAY_FAIL(unusable_input, file + ": has other rows; give another file");
    number = before.blocks.size();
  } else {
    json head = json::object();
    head["assay_pool"] = 1;
    head["rows"] = rows;
    std::ofstream(file) << head.dump() << '\n';
  }
  const host_time start = host_now();
  while (static_cast<double>(host_now() - start) < minutes * 60e9) {
    ASSAY_TRY_ASSIGN(const json line, record_block(bench, rows, number++));
    std::ofstream out(file, std::ios::app);
    out << line.dump() << '\n';
    if (!out.flush()) return ASSAY_FAIL(io, file + ": cannot be written; look at the free space");
  }
  return {};
}

result<pool> read_pool(const std::string& file) {
  std::ifstream in(file);
  pool all;
  std::size_t number = 0;
  for (std::string text; std::getline(in, text);) {
    ++number;
    const json line = json::parse(text, nullptr, false);
    // The last line of a run that was killed.
    if (line.is_discarded() && in.peek() == std::ifstream::traits_type::eof()) break;
    if (number == 1 && line.contains("rows")) {
      all.rows = line["rows"].get<std::vector<std::string>>();
    } else if (line.contains("ns") && line["ns"].size() == all.rows.size()) {
      all.blocks.push_back(line["ns"].get<std::vector<slots>>());
    } else {
      return ASSAY_FAIL(unusable_input, fmt::format("{}: line {}: is no block", file, number));
    }
  }
  if (all.rows.empty()) return ASSAY_FAIL(unusable_input, file + ": is no pool; record one");
  return all;
}

namespace {

// The four of a block, as base head head base or the other way round.
void add_pairs(const slots& of, bool is_base_first, double shift, compare::paired_row& row,
               std::vector<compare::value_pair>& to) {
  const double factor = std::exp(shift);
  slots values = of;
  for (const int slot : {0, 1, 2, 3}) {
    const bool is_outer = slot == 0 || slot == 3;
    if (is_outer != is_base_first) values[static_cast<std::size_t>(slot)] *= factor;
  }
  const auto pair = [&](double one, double other, bool is_base_one) {
    to.push_back(is_base_one ? compare::value_pair{one, other, {}}
                             : compare::value_pair{other, one, {}});
  };
  pair(values[0], values[1], is_base_first);
  pair(values[2], values[3], !is_base_first);
  (is_base_first ? row.contrasts.base : row.contrasts.head)
      .push_back(std::log(values[3] / values[0]));
  (is_base_first ? row.contrasts.head : row.contrasts.base)
      .push_back(std::log(values[2] / values[1]));
}

}  // namespace

cut_run cut(const pool& from, std::size_t first, const compare::decision_rules& rules,
            const planted_shift& planted, std::uint64_t seed) {
  compare::counter_rng rng(seed, compare::rng_stream::pairing_plan);
  cut_run run;
  for (const std::string& name : from.rows) {
    compare::paired_row row;
    row.name = name;
    row.metric = "real_time";
    row.unit = "ns";
    row.better = model::direction::lower_is_better;
    run.rows.push_back(std::move(row));
  }
  const auto shift_of = [&](const std::string& name) {
    return planted.is_in != nullptr && planted.is_in(name) ? planted.ln : 0.0;
  };
  const auto take = [&](std::size_t at, bool is_screen, const std::set<std::size_t>& chosen) {
    for (const std::size_t row : chosen) {
      compare::paired_row& into = run.rows[row];
      add_pairs(from.blocks[at][row], rng.below(2) == 0, shift_of(into.name), into,
                is_screen ? into.screen : into.confirm);
    }
    ++run.used_blocks;
  };
  std::set<std::size_t> all;
  for (std::size_t row = 0; row < run.rows.size(); ++row) all.insert(row);
  const std::size_t screen_blocks = rules.screen_pairs / 2;
  const std::size_t confirm_blocks = rules.confirm_pairs / 2;
  for (std::size_t i = 0; i < screen_blocks; ++i) take(first + i, true, all);
  const auto passed = compare::rows_to_confirm(run.rows, rules);
  if (passed.empty()) return run;
  const std::set<std::size_t> chosen(passed.begin(), passed.end());
  for (std::size_t i = 0; i < confirm_blocks; ++i) take(first + screen_blocks + i, false, chosen);
  return run;
}

}  // namespace assay::campaigns
