// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this, nobody would know whether the trap files are traps: what other rules make of them
// stands in docs/evidence/compare-traps.md, written here and held against what is committed.
#include <array>
#include <filesystem>
#include <fstream>
#include <map>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "harness/compare/stored_comparison.h"
#include "harness/ingest/formats.h"
#include "reports/model/comparison_outcome.h"
#include "tests/campaigns/compare_rivals.h"
#include "tests/ingest/trap_table.h"

namespace assay::ingest_test {
namespace {

using campaigns::rivals;
using campaigns::sequential_row;
using model::row_state;

using repetitions_by_name = std::map<std::string, std::vector<double>>;

// As compare.py takes them: each repetition of a Google Benchmark file by itself. Of other files
// there are none, and the numbers of their processes serve.
repetitions_by_name repetitions_of(const std::string& path) {
  repetitions_by_name all;
  if (std::filesystem::is_directory(path)) return all;
  std::ifstream in(path);
  const auto document = nlohmann::json::parse(in, nullptr, false);
  if (!document.is_object() || !document.contains("context")) return all;
  for (const auto& row : document.value("benchmarks", nlohmann::json::array())) {
    const auto time = row.find("real_time");
    if (time == row.end() || !time->is_number() || row.value("run_type", "") == "aggregate")
      continue;
    const double factor = row.value("time_unit", "ns") == "us" ? 1e3 : 1.0;
    all[row.value("run_name", row.value("name", ""))].push_back(time->get<double>() * factor);
  }
  return all;
}

std::vector<double> numbers_of(const model::sample_row& row,
                               const repetitions_by_name& repetitions) {
  const auto found = repetitions.find(row.name);
  return found == repetitions.end() ? row.process_values : found->second;
}

const model::sample_row* row_named(const model::sample_set& set, const model::comparison_row& as) {
  for (const auto& each : set.rows)
    if (each.name == as.name && each.metric == as.metric) return &each;
  return nullptr;
}

// What a rule that looks at one row at a time gets wrong of a table.
struct mistakes {
  std::size_t ungrounded_reds = 0;  // rows called worse that are not called so here
  std::size_t misses = 0;           // rows that are worse, and are not called so
  bool is_silent = false;           // no red, and something that is no clean table
};

struct judged_trap {
  trap of;
  model::comparison_report report;
  std::array<mistakes, 3> by_rival;
};

void ask(std::size_t which, const sequential_row& row, row_state state, mistakes& into) {
  const bool says_worse = rivals()[which].says_worse(row);
  into.ungrounded_reds += says_worse && state != row_state::regressed;
  into.misses += !says_worse && state == row_state::regressed;
}

bool is_lost_on_rows(const model::comparison_report& report) {
  const auto outcome = model::outcome_of(report);
  return outcome == model::outcome::could_not_measure ||
         outcome == model::outcome::not_comparable || report.is_contaminated ||
         model::count_of(report, row_state::removed) > 0;
}

judged_trap judged(const trap& each) {
  const auto base = ingest::read_results(side_path(each, "base"), "real_time");
  const auto head = ingest::read_results(side_path(each, "head"), "real_time");
  EXPECT_TRUE(base && head) << each.name;
  compare::stored_rules rules;
  if (each.more == "control")
    rules.is_control = [](const std::string& name) { return name == "control"; };
  judged_trap result{each, compare::judge_stored(*base, *head, rules), {}};
  const auto base_repetitions = repetitions_of(side_path(each, "base"));
  const auto head_repetitions = repetitions_of(side_path(each, "head"));
  for (const auto& row : result.report.rows) {
    const auto* b = row_named(*base, row);
    const auto* h = row_named(*head, row);
    if (b == nullptr || h == nullptr || !b->failure.empty() || !h->failure.empty()) continue;
    const sequential_row numbers{numbers_of(*b, base_repetitions),
                                 numbers_of(*h, head_repetitions)};
    if (numbers.base.empty() || numbers.head.empty()) continue;
    for (std::size_t i = 0; i < rivals().size(); ++i)
      ask(i, numbers, row.state, result.by_rival[i]);
  }
  for (mistakes& by : result.by_rival)
    by.is_silent = by.ungrounded_reds == 0 && is_lost_on_rows(result.report);
  return result;
}

bool is_wrong(const mistakes& by) {
  return by.ungrounded_reds > 0 || by.misses > 0 || by.is_silent;
}

std::string words_of(const mistakes& by) {
  std::string words;
  const auto append = [&words](const std::string& more) {
    words += (words.empty() ? "" : ", ") + more;
  };
  if (by.ungrounded_reds > 0) append(fmt::format("{} red", by.ungrounded_reds));
  if (by.misses > 0) append(fmt::format("misses {}", by.misses));
  if (by.is_silent) append("silent");
  return words.empty() ? "–" : words;
}

std::string page() {
  std::vector<judged_trap> all;
  std::size_t refused = 0;
  for (const trap& each : traps()) {
    if (each.outcome == "unusable")
      ++refused;
    else
      all.push_back(judged(each));
  }
  std::string text =
      "# What other rules make of the trap files\n\n"
      "Written by RivalTraps.* of tests/ingest/rival_traps_test.cpp (`ci/bless`), which fails "
      "where this "
      "page is not what it finds.\n\n"
      "The rules, not the tools: each is given rows as this project reads them (times in one unit, "
      "no "
      "aggregates, no errored rows), which is more than the\ntools do for themselves. It calls a "
      "row "
      "worse whose number rose, whatever the number is. Of Google Benchmark files it is given each "
      "repetition,\nof others each process.\n\n"
      "* *n red*: calls n rows worse that the files cannot show to be: too few processes, noise "
      "between "
      "runs, another machine, or a rate that rose\n"
      "* *misses n*: n rows that are worse are not called so\n"
      "* *silent*: no red, and nothing else to say it with, where rows errored, are gone or cannot "
      "be "
      "compared, or a control moved\n\n";
  text +=
      fmt::format("{} files of {} are no table: they are refused here, and no rule sees them.\n\n",
                  refused, traps().size());
  text += "| complaint | trap | here |";
  for (const auto& each : rivals()) text += fmt::format(" {} |", each.name);
  text += "\n|---|---|---|---|---|---|\n";
  std::array<std::size_t, 3> wrong{};
  for (const judged_trap& each : all) {
    text += fmt::format("| {} | {} | {}: {} |", each.of.complaint, each.of.name, each.of.outcome,
                        states_of(each.report));
    for (std::size_t i = 0; i < rivals().size(); ++i) {
      text += fmt::format(" {} |", words_of(each.by_rival[i]));
      wrong[i] += is_wrong(each.by_rival[i]);
    }
    text += "\n";
  }
  text += "\n";
  for (std::size_t i = 0; i < rivals().size(); ++i)
    text += fmt::format("* {}: wrong on `{} of {}`\n", rivals()[i].name, wrong[i], all.size());
  return text;
}

TEST(RivalTraps, are_the_ones_that_are_committed) {
  const std::string made = page();
  std::ofstream(ASSAY_RIVAL_TRAPS) << made;
  std::ifstream file(std::string(ASSAY_SOURCE_DIR) + "/docs/evidence/compare-traps.md");
  const std::string committed(std::istreambuf_iterator<char>(file), {});
  EXPECT_EQ(made, committed) << "run ci/bless and read the diff";
}

}  // namespace
}  // namespace assay::ingest_test
