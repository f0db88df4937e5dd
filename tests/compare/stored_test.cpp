// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this, two files that were measured on different days could fail a build, and a row could
// vanish between base and head.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <random>
#include <sstream>

#include <gmock/gmock.h>

#include "harness/compare/paired_comparison.h"
#include "harness/compare/stored_comparison.h"
#include "reports/model/comparison_outcome.h"
#include "tests/compare/noisy_rows.h"

namespace assay::compare {
namespace {

using compare_test::noise;
using model::direction;
using model::outcome;
using model::row_state;
using testing::HasSubstr;

model::sample_row row(const std::string& name, std::vector<double> values) {
  model::sample_row out;
  out.name = name;
  out.metric = "real_time";
  out.unit = "ns";
  out.better = direction::lower_is_better;
  out.process_values = std::move(values);
  return out;
}

model::sample_set set_of(std::vector<model::sample_row> rows) {
  model::sample_set set;
  set.source = "a file";
  set.rows = std::move(rows);
  return set;
}

std::vector<double> around(double centre, double spread, std::size_t count, noise& draw) {
  std::vector<double> values(count);
  for (double& v : values) v = centre * std::exp(spread * draw());
  return values;
}

// The table that said +75.8 % of a change to one text file.
struct published_row {
  std::string name;
  double base_ns, head_ns;
};

// A name with a comma in it is quoted; no name holds a quote.
std::vector<published_row> published_table() {
  std::ifstream in(ASSAY_FIXTURES "/compare/docs_only_change.csv");
  std::vector<published_row> rows;
  std::string line;
  std::getline(in, line);
  while (std::getline(in, line)) {
    const bool is_quoted = line.front() == '"';
    const std::size_t end = line.find(is_quoted ? '"' : ',', 1);
    std::stringstream numbers(line.substr(end + (is_quoted ? 2 : 1)));
    std::string base, head;
    std::getline(numbers, base, ',');
    std::getline(numbers, head, ',');
    rows.push_back({line.substr(is_quoted, end - is_quoted), std::stod(base), std::stod(head)});
  }
  return rows;
}

std::string family_of(const std::string& name) {
  return name.substr(0, name.find('/'));
}

// Root mean square of ln(head/base) of a family: what its rows moved by although nothing changed.
// A process of either side has 1/√2 of it.
std::map<std::string, double> spread_of_families() {
  std::map<std::string, std::pair<double, int>> sums;
  for (const auto& each : published_table()) {
    const double moved = std::log(each.head_ns / each.base_ns);
    sums[family_of(each.name)].first += moved * moved;
    ++sums[family_of(each.name)].second;
  }
  std::map<std::string, double> spread;
  for (const auto& [family, sum] : sums) spread[family] = std::sqrt(sum.first / sum.second / 2);
  return spread;
}

TEST(PublishedTable, is_the_one_with_26_of_59_rows_moved) {
  const auto table = published_table();
  EXPECT_EQ(table.size(), 59U);
  EXPECT_EQ(std::count_if(
                table.begin(), table.end(),
                [](const auto& each) { return std::abs(each.head_ns / each.base_ns - 1) >= 0.15; }),
            26);
}

TEST(PublishedTable, has_no_regressed_row) {
  std::vector<model::sample_row> base;
  std::vector<model::sample_row> head;
  for (const auto& each : published_table()) {
    base.push_back(row(each.name, {each.base_ns}));
    head.push_back(row(each.name, {each.head_ns}));
  }
  const auto report = judge_stored(set_of(base), set_of(head), {});
  ASSERT_EQ(report.rows.size(), 59U);
  EXPECT_EQ(model::count_of(report, row_state::inconclusive), 59U);
  EXPECT_NEAR(*report.rows[0].change_ratio, 0.758, 0.001);
  EXPECT_EQ(model::outcome_of(report), outcome::clean);
  EXPECT_EQ(model::outcome_of(report, true), outcome::undecided);
}

struct drawn_table {
  model::sample_set base, head;
  std::vector<paired_row> pairs;
};

// Replicates of the published base at the families' spread; one row of head may be made slower.
drawn_table replicates(unsigned seed, double injected_factor) {
  noise draw(seed);
  const auto spread = spread_of_families();
  drawn_table out;
  for (const auto& each : published_table()) {
    const double factor =
        each.name == "gather/medium_f16_threads=1-internal/32768" ? injected_factor : 1.0;
    const double sd = spread.at(family_of(each.name));
    out.base.rows.push_back(row(each.name, around(each.base_ns, sd, 20, draw)));
    out.head.rows.push_back(row(each.name, around(each.base_ns * factor, sd, 20, draw)));
    out.pairs.push_back(compare_test::noisy_row(
        each.name, {.shift_ln = std::log(factor), .noise_ln = sd, .base_value = each.base_ns},
        draw));
  }
  return out;
}

TEST(PublishedTable, replicates_at_its_spread_have_no_regressed_row) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    const drawn_table table = replicates(seed, 1.0);
    EXPECT_EQ(model::count_of(judge_stored(table.base, table.head, {}), row_state::regressed), 0U);
    EXPECT_EQ(model::count_of(judge_pairs(table.pairs, {}), row_state::regressed), 0U);
  }
}

TEST(PublishedTable, injected_four_and_a_half_is_found_among_replicates) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    const drawn_table table = replicates(100 + seed, 4.5);
    for (const auto& report :
         {judge_stored(table.base, table.head, {}), judge_pairs(table.pairs, {})}) {
      EXPECT_EQ(model::count_of(report, row_state::regressed), 1U);
      for (const auto& each : report.rows)
        EXPECT_EQ(each.state == row_state::regressed,
                  each.name == "gather/medium_f16_threads=1-internal/32768");
    }
    EXPECT_EQ(model::outcome_of(judge_stored(table.base, table.head, {})), outcome::undecided)
        << "files may describe, not adjudicate";
    EXPECT_EQ(model::outcome_of(judge_pairs(table.pairs, {})), outcome::found);
  }
}

TEST(Stored, nothing_is_called_unchanged) {
  noise draw(1);
  const auto values = around(100, 0.001, 30, draw);
  const auto report = judge_stored(set_of({row("a", values)}), set_of({row("a", values)}), {});
  EXPECT_EQ(report.rows[0].state, row_state::inconclusive);
  EXPECT_TRUE(report.rows[0].is_advisory);
}

TEST(Stored, what_one_machine_does_to_itself_is_no_finding) {
  noise draw(2);
  const auto report = judge_stored(set_of({row("a", around(100, 0.01, 30, draw))}),
                                   set_of({row("a", around(140, 0.01, 30, draw))}), {});
  EXPECT_EQ(report.rows[0].state, row_state::inconclusive);
  EXPECT_THAT(report.rows[0].reason, HasSubstr("unpaired runs differ"));
  EXPECT_NEAR(*report.rows[0].change_ratio, 0.4, 0.02);
}

TEST(Stored, three_against_three_say_that_they_are_too_few) {
  const auto report =
      judge_stored(set_of({row("a", {100, 101, 102})}), set_of({row("a", {200, 201, 202})}), {});
  EXPECT_EQ(report.rows[0].state, row_state::inconclusive);
  EXPECT_THAT(report.rows[0].reason, HasSubstr("too few processes"));
}

TEST(Stored, exact_counts_are_adjudicated_without_pairs) {
  auto base = row("launches", {100});
  base.unit = "count";
  base.is_exact = true;
  auto head = base;
  EXPECT_EQ(model::outcome_of(judge_stored(set_of({base}), set_of({head}), {})), outcome::clean);
  head.process_values = {101};
  const auto report = judge_stored(set_of({base}), set_of({head}), {});
  EXPECT_EQ(report.rows[0].state, row_state::regressed);
  EXPECT_EQ(model::outcome_of(report), outcome::found);
}

TEST(Stored, count_that_head_lost_is_undecided_and_a_new_one_is_clean) {
  auto kept = row("launches", {100});
  kept.unit = "count";
  kept.is_exact = true;
  auto other = kept;
  other.name = "copies";
  const auto lost = judge_stored(set_of({kept, other}), set_of({kept}), {});
  EXPECT_EQ(lost.rows[1].state, row_state::removed);
  EXPECT_THAT(lost.rows[1].reason, HasSubstr("not compared"));
  EXPECT_EQ(model::outcome_of(lost), outcome::undecided);
  EXPECT_EQ(model::outcome_of(judge_stored(set_of({kept}), set_of({kept, other}), {})),
            outcome::clean);
}

TEST(Stored, units_and_directions_that_differ_are_not_compared) {
  auto base = row("a", {100});
  auto head = row("a", {100});
  head.unit = "bytes";
  const auto report = judge_stored(set_of({base}), set_of({head}), {});
  EXPECT_EQ(report.rows[0].state, row_state::not_comparable);
  EXPECT_EQ(report.rows[0].reason, "ns against bytes");
  EXPECT_FALSE(report.rows[0].head.is_present);  // it would be printed in ns
  EXPECT_EQ(model::outcome_of(report), outcome::not_comparable);
  head.unit = "ns";
  head.better = direction::higher_is_better;
  EXPECT_EQ(judge_stored(set_of({base}), set_of({head}), {}).rows[0].state,
            row_state::not_comparable);
}

TEST(Stored, another_machine_is_not_comparable_unless_that_is_wanted) {
  auto base = set_of({row("a", {100})});
  auto head = set_of({row("a", {100})});
  base.environment = {{"num_cpus", "4"}};
  head.environment = {{"num_cpus", "64"}};
  const auto report = judge_stored(base, head, {});
  EXPECT_EQ(report.rows[0].reason, "num_cpus: 4 against 64");
  EXPECT_EQ(model::outcome_of(report), outcome::not_comparable);
  stored_rules any;
  any.is_any_environment = true;
  EXPECT_EQ(model::outcome_of(judge_stored(base, head, any)), outcome::clean);
}

TEST(Stored, control_of_one_process_that_did_not_move_is_not_called_still) {
  const auto base = set_of({row("kept", {100}), row("gone", {100})});
  const auto head = set_of({row("kept", {101})});
  stored_rules rules;
  rules.is_control = [](const std::string&) { return true; };
  const auto report = judge_stored(base, head, rules);
  ASSERT_EQ(report.controls.size(), 2U);
  EXPECT_EQ(report.controls[0].unjudged, "too few processes for an interval");
  EXPECT_EQ(report.controls[1].unjudged, "it is removed");
}

TEST(Stored, side_of_two_machines_is_named_and_not_compared) {
  auto base = set_of({row("row", {100})});
  const auto head = base;
  base.environment = {{"host_name", "one"}, {"num_cpus", "2"}, {"host_name", "two"}};
  stored_rules rules;
  auto report = judge_stored(base, head, rules);
  EXPECT_EQ(report.rows[0].state, row_state::not_comparable);
  EXPECT_EQ(report.rows[0].reason,
            "mixed environments: the files of base have host_name one and two");
  EXPECT_EQ(judge_stored(head, base, rules).rows[0].reason,
            "mixed environments: the files of head have host_name one and two");
  rules.is_any_environment = true;
  report = judge_stored(base, head, rules);
  EXPECT_EQ(report.rows[0].state, row_state::inconclusive);
}

// Every row of the head, a control among them, is 12 % slower: the machine was.
TEST(Stored, control_that_moved_contaminates) {
  std::vector<model::sample_row> base;
  std::vector<model::sample_row> head;
  for (int i = 0; i < 20; ++i) {
    base.push_back(row("row " + std::to_string(i), std::vector<double>(30, 100.0 + i)));
    head.push_back(row("row " + std::to_string(i), std::vector<double>(30, (100.0 + i) * 1.12)));
  }
  stored_rules rules;
  rules.is_control = [](const std::string& name) { return name == "row 7"; };
  rules.drift_ratio = 0.0;
  EXPECT_EQ(model::count_of(
                judge_stored(set_of(base), set_of(head), {.decision = {}, .drift_ratio = 0.0}),
                row_state::regressed),
            20U)
      << "without the control they would be red";
  const auto report = judge_stored(set_of(base), set_of(head), rules);
  EXPECT_TRUE(report.is_contaminated);
  EXPECT_EQ(model::count_of(report, row_state::regressed), 0U);
  EXPECT_EQ(model::outcome_of(report), outcome::undecided);
}

TEST(Match, alias_joins_a_renamed_row) {
  const auto report = judge_stored(set_of({row("old", {100})}), set_of({row("new", {100})}),
                                   {.decision = {}, .aliases = {{"old", "new"}}});
  ASSERT_EQ(report.rows.size(), 1U);
  EXPECT_EQ(report.rows[0].state, row_state::inconclusive);
}

TEST(Match, renamed_row_is_removed_and_added_with_a_suggestion) {
  const auto report =
      judge_stored(set_of({row("BM_sort/1024", {100}), row("BM_hash", {100})}),
                   set_of({row("BM_hash", {100}), row("BM_sort_v2/1024", {100})}), {});
  ASSERT_EQ(report.rows.size(), 3U);
  EXPECT_EQ(report.rows[0].state, row_state::removed);
  EXPECT_EQ(report.rows[0].similar_to, "BM_sort_v2/1024");
  EXPECT_EQ(report.rows[2].state, row_state::added);
  EXPECT_EQ(report.rows[2].similar_to, "BM_sort/1024");
}

TEST(Match, names_without_likeness_are_not_suggested) {
  const auto report =
      judge_stored(set_of({row("matmul", {100})}), set_of({row("tokenizer", {100})}), {});
  EXPECT_EQ(report.rows[0].similar_to, "");
  EXPECT_DOUBLE_EQ(name_likeness("kitten", "sitting"), 1 - 3.0 / 7);
  EXPECT_DOUBLE_EQ(name_likeness("", ""), 1.0);
}

// The law: each row of base ∪ head once, with one state. Names repeat, rows fail, units differ.
class random_sets {
 public:
  explicit random_sets(unsigned seed) : engine_(seed) {}
  model::sample_set next() {
    model::sample_set set;
    const auto count = engine_() % 7;
    for (unsigned i = 0; i < count; ++i) {
      model::sample_row each = row(std::string(1, static_cast<char>('a' + engine_() % 6)), {});
      each.metric = engine_() % 4 == 0 ? "cpu_time" : "real_time";
      each.unit = engine_() % 8 == 0 ? "bytes" : "ns";
      each.is_exact = engine_() % 8 == 0;
      if (engine_() % 8 == 0) each.failure = "failed";
      const auto processes = engine_() % 4;
      for (unsigned p = 0; p < processes; ++p)
        each.process_values.push_back(static_cast<double>(engine_() % 5));
      set.rows.push_back(std::move(each));
    }
    if (engine_() % 16 == 0) set.environment = {{"host", std::to_string(engine_() % 2)}};
    return set;
  }

 private:
  std::mt19937 engine_;
};

using tally = std::map<std::pair<std::string, std::string>, std::size_t>;

template <class Rows>
tally tally_of(const Rows& rows) {
  tally counts;
  for (const auto& each : rows) ++counts[{each.name, each.metric}];
  return counts;
}

TEST(Conservation, every_row_of_either_side_is_there_once) {
  random_sets sets(2026);
  for (int pair = 0; pair < 100'000; ++pair) {
    const model::sample_set base = sets.next();
    const model::sample_set head = sets.next();
    tally wanted = tally_of(base.rows);
    for (const auto& [key, count] : tally_of(head.rows)) wanted[key] = std::max(wanted[key], count);
    const auto report = judge_stored(base, head, {});
    ASSERT_EQ(tally_of(report.rows), wanted) << "pair " << pair;
    std::size_t with_a_state = 0;
    for (const row_state state : model::all_row_states)
      with_a_state += model::count_of(report, state);
    ASSERT_EQ(with_a_state, report.rows.size());
  }
}

}  // namespace
}  // namespace assay::compare
