// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/paired_run.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "harness/compare/median.h"
#include "harness/compare/paired_comparison.h"
#include "harness/compare/paired_rows.h"
#include "harness/compare/signed_rank.h"
#include "harness/compare/slice_worker.h"
#include "runtime/telemetry/clock.h"

namespace assay::compare {
namespace {

std::optional<std::int64_t> gained(const std::optional<std::int64_t>& before,
                                   const std::optional<std::int64_t>& after) {
  return before && after ? std::optional(*after - *before) : std::nullopt;
}

class runner {
 public:
  runner(run_log& log, const run_limits& limits, const output_reader& reader,
         const run_hooks& hooks)
      : log_(log), limits_(limits), reader_(reader), hooks_(hooks), start_(host_now()) {}

  result<void> run() {
    log_.is_complete = true;
    log_.incompleteness.clear();
    std::vector<std::uint32_t> all;
    for (std::uint32_t subject = 0; subject < log_.subjects.size(); ++subject)
      if (log_.subjects[subject].is_in_both()) all.push_back(subject);
    ASSAY_TRY(run_stage(stage::screen, all, log_.rules.screen_pairs, budget_of_screen(), 0));
    if (!log_.is_complete || limits_.is_screen_only) return {};
    ASSAY_TRY(run_controls());
    if (!log_.is_complete) return {};
    ASSAY_TRY(
        run_stage(stage::confirm, to_confirm(), log_.rules.confirm_pairs, limits_.budget_ns, 0));
    return {};
  }

 private:
  // A screen may be too short to judge a control by.
  result<void> run_controls() {
    const bool is_over = limits_.budget_ns > 0 && host_now() - start_ > limits_.budget_ns;
    if (is_over || log_.rules.screen_pairs >= fewest_control_pairs) return {};
    std::vector<std::uint32_t> controls;
    for (std::uint32_t subject = 0; subject < log_.subjects.size(); ++subject)
      if (log_.subjects[subject].is_control) controls.push_back(subject);
    return run_stage(stage::screen, controls, fewest_control_pairs, limits_.budget_ns,
                     blocks_of(log_.rules.screen_pairs));
  }

  static std::uint32_t blocks_of(std::size_t pairs) {
    return static_cast<std::uint32_t>((pairs + pairs_a_block - 1) / pairs_a_block);
  }

  // With so few pairs a row says nothing: what would be left for a confirmation is better spent
  // here.
  bool is_too_early(stage which, std::uint32_t block) const {
    return which == stage::screen &&
           block < blocks_of(pairs_needed(0.5 * (1.0 - log_.rules.interval_level)));
  }

  // Where nothing can pass the screen nothing is confirmed: the whole budget is the screen's.
  std::int64_t budget_of_screen() const {
    const bool is_any = std::any_of(log_.subjects.begin(), log_.subjects.end(), [](const auto& s) {
      return s.is_in_both() && !s.is_control && !s.is_same_code && !s.is_exact;
    });
    return limits_.is_screen_only || !is_any ? limits_.budget_ns : limits_.budget_ns / 2;
  }

  std::vector<std::uint32_t> to_confirm() const {
    const std::vector<std::uint32_t> subjects = subjects_of_rows(log_);
    std::set<std::uint32_t> chosen;
    for (const std::size_t row : rows_to_confirm(paired_rows(log_), log_.rules))
      chosen.insert(subjects[row]);
    return {chosen.begin(), chosen.end()};
  }

  result<void> run_stage(stage which, const std::vector<std::uint32_t>& subjects, std::size_t pairs,
                         std::int64_t until_ns, std::uint32_t first_block) {
    const auto plan = pairing_plan(log_.rules.seed, which, subjects, pairs);
    for (std::size_t at = 0; at < plan.size(); ++at) {
      const run_subject& subject = log_.subjects[plan[at].subject];
      if (failed_.count(plan[at].subject) > 0 || plan[at].block < first_block) continue;
      // A count says in one block what it is, and whether it repeats itself.
      if (subject.is_exact && (which == stage::confirm || plan[at].block > 0)) continue;
      // A block once begun is ended: half a block is no pair of pairs.
      const std::int64_t end_ns =
          is_too_early(which, plan[at].block) ? limits_.budget_ns : until_ns;
      if (plan[at].slot == 0 && limits_.budget_ns > 0 && host_now() - start_ > end_ns) {
        log_.facts.push_back(
            {which == stage::screen ? "budget ended the screen" : "budget ended the confirmation",
             fmt::format("after {} of {} processes", at, plan.size())});
        return {};
      }
      if (hooks_.progress)
        hooks_.progress(fmt::format("{}: process {} of {}: {}",
                                    which == stage::screen ? "screen" : "confirm", at + 1,
                                    plan.size(), subject.name));
      if (subject.is_sliced) {
        ASSAY_TRY(run_turns(which, plan[at], plan[at + 1]));
        ++at;
      } else {
        ASSAY_TRY(run_one(which, plan[at]));
      }
      if (!log_.is_complete) return {};
    }
    return {};
  }

  result<void> run_one(stage which, const planned_process& place) {
    const run_subject& subject = log_.subjects[place.subject];
    const auto& command = place.side == side::base ? subject.base_command : subject.head_command;
    ASSAY_TRY(check_programs());
    const host_load before = host_load_now();
    const auto ran = run_process({command, limits_.process_ns, hooks_.is_interrupted});
    // Before its failure is believed: half of a program fails in any way.
    ASSAY_TRY(check_programs());
    ASSAY_TRY_ASSIGN(const process_ending ending, ran);
    if (ending.how == process_end::interrupted) {
      stop();
      return {};
    }
    process_record record = record_of(which, place, ending, before);
    read(ending, subject, record);
    return keep(std::move(record));
  }

  // The two of a pair at once, in turns. What the machine did stands in both records.
  result<void> run_turns(stage which, const planned_process& one, const planned_process& other) {
    const run_subject& subject = log_.subjects[one.subject];
    const auto command = [&](const planned_process& place) -> const std::vector<std::string>& {
      return place.side == side::base ? subject.base_command : subject.head_command;
    };
    ASSAY_TRY(check_programs());
    const host_load before = host_load_now();
    auto ran = run_worker_pair(
        command(one), command(other),
        {limits_.slices, limits_.slice_ns, limits_.process_ns, hooks_.is_interrupted});
    ASSAY_TRY(check_programs());
    ASSAY_TRY_ASSIGN(const worker_pair pair, std::move(ran));
    if (pair.first.ending.how == process_end::interrupted ||
        pair.second.ending.how == process_end::interrupted) {
      stop();
      return {};
    }
    ASSAY_TRY(keep_turns(which, one, pair.first, before));
    return keep_turns(which, other, pair.second, before);
  }

  // A worker whose partner failed has ended before its time, and is no failure of its own.
  result<void> keep_turns(stage which, const planned_process& place, const worker_ending& left,
                          const host_load& before) {
    process_record record = record_of(which, place, left.ending, before);
    record.failure = failure_words(left.ending);
    if (record.failure.empty() && left.slices_ns.size() != limits_.slices) return {};
    if (record.failure.empty()) {
      const run_subject& subject = log_.subjects[place.subject];
      model::sample_row row;
      row.name = subject.name;
      row.metric = subject.metric;
      row.unit = "ns";
      row.better = model::direction::lower_is_better;
      row.process_values = {median_of(left.slices_ns)};
      row.iteration_count = left.slices_ns.size();
      record.rows.push_back(std::move(row));
      record.slices_ns = left.slices_ns;
    }
    return keep(std::move(record));
  }

  static process_record record_of(stage which, const planned_process& place,
                                  const process_ending& ending, const host_load& before) {
    const host_load after = host_load_now();
    process_record record;
    record.stage = which;
    record.place = place;
    record.wall_ns = ending.wall_ns;
    record.cpu_ns = ending.cpu_ns;
    record.steal_ns = gained(before.steal_ns, after.steal_ns);
    record.throttled_ns = gained(before.throttled_ns, after.throttled_ns);
    record.load_average = after.load_average;
    record.frequency_hz = after.frequency_hz;
    return record;
  }

  result<void> keep(process_record record) {
    if (!record.failure.empty()) failed_.insert(record.place.subject);
    log_.records.push_back(std::move(record));
    return hooks_.on_record ? hooks_.on_record(log_.records.back()) : result<void>();
  }

  result<void> check_programs() {
    auto same = hooks_.check_programs ? hooks_.check_programs() : result<void>();
    if (!same) {
      log_.is_complete = false;
      log_.incompleteness = same.error().message;
    }
    return same;
  }

  void stop() {
    log_.is_complete = false;
    log_.incompleteness = fmt::format("interrupted after {} processes", log_.records.size());
  }

  void read(const process_ending& ending, const run_subject& subject, process_record& record) {
    record.failure = failure_words(ending);
    if (!record.failure.empty()) return;
    auto rows = reader_(ending, subject);
    if (!rows)
      record.failure = rows.error().message;
    else if (rows->empty())
      record.failure = "printed no result";
    else
      record.rows = std::move(*rows);
    for (model::sample_row& row : record.rows) refuse_what_has_no_ratio(row);
  }

  // A counter of 0, or a number that is printed as inf. A log that held it could not be read again.
  static void refuse_what_has_no_ratio(model::sample_row& row) {
    if (row.is_exact || !row.failure.empty()) return;
    for (const double value : row.process_values)
      if (!has_ratio(value))
        row.failure = fmt::format("{} is {:g}: a change of it has no ratio", row.metric, value);
    if (!row.failure.empty()) row.process_values.clear();
  }

  run_log& log_;
  const run_limits& limits_;
  const output_reader& reader_;
  const run_hooks& hooks_;
  host_time start_;
  std::set<std::uint32_t> failed_;
};

}  // namespace

result<void> run_pairs(run_log& log, const run_limits& limits, const output_reader& reader,
                       const run_hooks& hooks) {
  return runner(log, limits, reader, hooks).run();
}

}  // namespace assay::compare
