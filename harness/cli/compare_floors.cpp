// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/compare_floors.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "harness/cli/compare_run.h"
#include "harness/compare/merged_run.h"
#include "harness/compare/run_file.h"
#include "harness/ingest/file_text.h"

namespace assay::cli {

result<compare::calibration> calibration_of(const std::vector<std::string>& logs,
                                            std::size_t pairs_a_result) {
  std::vector<compare::run_log> all;
  for (const std::string& file : logs) {
    ASSAY_TRY_ASSIGN(const auto text, ingest::file_text::open(file));
    ASSAY_TRY_ASSIGN(auto log, compare::parse_run_log(text.view(), file));
    all.push_back(std::move(log));
  }
  return compare::calibrate(all, pairs_a_result);
}

namespace {

// Rows in which a change can hide behind where its code lies.
std::string moved_words(const compare::calibration& floors) {
  std::string words;
  std::size_t count = 0;
  for (const compare::row_floor& each : floors.rows) {
    if (!(each.link_spread_ratio > 0)) continue;
    ++count;
    words += fmt::format("  {:.4f}  {}{}\n", each.link_spread_ratio, each.name,
                         each.is_spread_of_family ? "  (as its family)" : "");
  }
  if (count == 0) return {};
  return fmt::format(
             "{} rows are moved by where the code lies, so that no change smaller than "
             "this ratio is seen in them:\n",
             count) +
         words;
}

}  // namespace

std::string calibration_words(const compare::calibration& floors) {
  std::string words = fmt::format(
      "floor ratios of {} rows on {}, {} cores, {} pairs a result, {} links\n", floors.rows.size(),
      floors.processor, floors.cores, floors.pairs_a_result, floors.links);
  for (const compare::row_floor& each : floors.rows)
    words += fmt::format("  {:.4f}  {}  ({} results{})\n", each.floor_ratio, each.name,
                         each.result_count, each.is_of_family ? ", of its family" : "");
  words += moved_words(floors);
  if (!floors.uncalibrated.empty())
    words += fmt::format(
        "{} rows have fewer than {} results and stay uncalibrated; the same command "
        "again goes on from there:\n",
        floors.uncalibrated.size(), compare::fewest_results);
  for (const std::string& name : floors.uncalibrated) {
    const auto own = floors.own_results.find(name);
    words += fmt::format("  {} of {}  {}\n", own == floors.own_results.end() ? 0 : own->second,
                         compare::fewest_results, name);
  }
  return words;
}

result<std::string> take_floors(const std::string& file, compare::decision_rules& rules) {
  ASSAY_TRY_ASSIGN(const auto text, ingest::file_text::open(file));
  ASSAY_TRY_ASSIGN(const auto floors, compare::parse_calibration(text.view(), file));
  for (const model::fact& fact : host_facts()) {
    const bool is_other = (fact.name == "processor" && fact.value != floors.processor) ||
                          (fact.name == "cores" && fact.value != floors.cores);
    if (is_other)
      return ASSAY_FAIL(unusable_input,
                        fmt::format("{}: is of {} with {} cores, and this machine's {} is {}; "
                                    "calibrate here",
                                    file, floors.processor, floors.cores, fact.name, fact.value));
  }
  for (const compare::row_floor& each : floors.rows)
    rules.floor_of_row[each.name] = each.floor_ratio;
  if (rules.floor_source.empty()) rules.floor_source = "floor of this class of machine";
  return model::value_of(floors.provenance, compare::grain_name);
}

result<void> check_grain(const std::string& file, const std::string& then,
                         const std::vector<model::fact>& facts) {
  constexpr const char* one_after_the_other = "one process after the other";
  const std::string now = model::value_of(facts, compare::grain_name);
  // A file that does not say was not written by --calibrate; "unknown" is what logs without it
  // give.
  if (then.empty() || then == now || (then == "unknown" && now.empty())) return {};
  return ASSAY_FAIL(unusable_input,
                    fmt::format("{}: is of {}, and this run is of {}: other times scatter by other "
                                "amounts; calibrate as you measure",
                                file, then == "unknown" ? one_after_the_other : then,
                                now.empty() ? one_after_the_other : now));
}

result<void> check_floors_name(const std::string& file,
                               const std::vector<compare::run_subject>& subjects,
                               const compare::decision_rules& rules) {
  if (file.empty() || subjects.empty() || !subjects.front().is_sliced) return {};
  const bool is_named = std::any_of(
      subjects.begin(), subjects.end(),
      [&](const compare::run_subject& each) { return rules.floor_of_row.count(each.name) > 0; });
  if (is_named) return {};
  return ASSAY_FAIL(
      unusable_input,
      fmt::format("{}: has a floor for none of {} rows, such as {}; calibrate with the same "
                  "--scenarios",
                  file, subjects.size(), subjects.front().name));
}

}  // namespace assay::cli
