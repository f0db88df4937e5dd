// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/compare_calibrate.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "harness/cli/compare_floors.h"
#include "harness/cli/interrupt.h"
#include "harness/compare/merged_run.h"
#include "runtime/telemetry/clock.h"

namespace assay::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* log_ending = ".jsonl";

result<std::vector<std::string>> logs_in(const std::string& folder) {
  std::error_code code;
  fs::create_directories(folder, code);
  std::vector<std::string> logs;
  for (const auto& entry : fs::directory_iterator(folder, code))
    if (entry.path().extension() == log_ending) logs.push_back(entry.path().string());
  if (code)
    return ASSAY_FAIL(io, fmt::format("{}: {}; name a folder for the logs that can be written",
                                      folder, code.message()));
  std::sort(logs.begin(), logs.end());
  return logs;
}

// A number that no log has: one may have been taken away.
std::uint64_t next_number(const std::vector<std::string>& logs) {
  std::uint64_t highest = 0;
  for (const std::string& each : logs) {
    const std::string stem = fs::path(each).stem().string();
    const std::size_t digits = stem.find_first_of("0123456789");
    if (digits == std::string::npos) continue;
    std::uint64_t number = 0;
    for (std::size_t at = digits; at < stem.size() && stem[at] >= '0' && stem[at] <= '9'; ++at)
      number = number * 10 + static_cast<std::uint64_t>(stem[at] - '0');
    highest = std::max(highest, number);
  }
  return highest + 1;
}

// Of the row that has the fewest: pooled rows do not count what is their family's. Rows that logs
// of other runs left in the folder get no more from this one, and are not waited for.
std::size_t fewest_of(const compare::calibration& floors,
                      const std::vector<compare::run_subject>& subjects) {
  std::vector<std::size_t> counts;
  for (const compare::run_subject& each : subjects)
    if (const auto own = floors.own_results.find(each.name); own != floors.own_results.end())
      counts.push_back(own->second);
  // A foreign program may call its rows otherwise than it lists them.
  if (counts.empty())
    for (const auto& own : floors.own_results) counts.push_back(own.second);
  return counts.empty() ? 0 : *std::min_element(counts.begin(), counts.end());
}

// A script of the same bytes may run two programs; a calibration cannot tell that it does.
bool is_same_code(const measured_comparison& what) {
  const std::string bytes = value_of(what.facts, compare::base_digest_name);
  return (!bytes.empty() && bytes == value_of(what.facts, compare::head_digest_name)) ||
         std::all_of(what.subjects.begin(), what.subjects.end(),
                     [](const auto& each) { return each.is_same_code; });
}

}  // namespace

result<compare::calibration> calibrate_by_measuring(std::vector<measured_comparison> relinks,
                                                    const calibration_wish& wish,
                                                    const progress& tell) {
  if (std::any_of(relinks.begin(), relinks.end(), is_same_code))
    return ASSAY_FAIL(unusable_input,
                      "--calibrate: the two builds are the same bytes, and a floor of theirs would "
                      "leave out what the order of linking does; let the build heed "
                      "ASSAY_LINK_SALT");
  for (measured_comparison& each : relinks) {
    each.limits.is_screen_only = true;
    each.has_control = false;  // it learns how rows scatter, and judges none
    each.rules.screen_pairs = wish.pairs_a_result;
  }
  // A link's scatter shows from two results on, and a link that was not measured teaches nothing.
  const std::size_t wanted = std::max(wish.results, 2 * relinks.size());
  const host_time start = host_now();
  constexpr int most_idle_runs = 3;
  std::size_t had = 0;
  for (int idle_runs = 0;;) {
    ASSAY_TRY_ASSIGN(const auto logs, logs_in(wish.folder));
    compare::calibration floors;
    if (!logs.empty()) {
      ASSAY_TRY_ASSIGN(floors, calibration_of(logs, wish.pairs_a_result));
    }
    const std::size_t have = fewest_of(floors, relinks.front().subjects);
    const bool is_over = wish.budget_ns > 0 && host_now() - start > wish.budget_ns;
    if (have >= wanted || is_over || is_interrupted()) return floors;
    idle_runs = have > had ? 0 : idle_runs + 1;
    had = have;
    if (idle_runs > most_idle_runs)
      return ASSAY_FAIL(unavailable,
                        fmt::format("--calibrate: run after run adds no result; look at what fails "
                                    "in {}",
                                    logs.back()));
    const std::uint64_t number = next_number(logs);
    measured_comparison& what = relinks[number % relinks.size()];
    what.rules.seed = number;
    what.samples_path =
        (fs::path(wish.folder) / fmt::format("aa-{:04}{}", number, log_ending)).string();
    const auto tell_count = [&](std::string_view words) {
      tell(words.empty() ? std::string()
                         : fmt::format("{} of {} results: {}", have, wanted, words));
    };
    ASSAY_TRY(measure_and_judge(what, tell_count));
  }
}

}  // namespace assay::cli
