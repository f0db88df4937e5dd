// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/paired_rows.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "harness/compare/slice_worker.h"

namespace assay::compare {
namespace {

// What a process left: its number, and the slices that it ran in turns with the other of its pair.
struct slot_value {
  double number = 0.0;
  const std::vector<double>* slices_ns = nullptr;
};

// The four processes of a block, as far as they left a number.
using block_values = std::array<std::optional<slot_value>, 4>;

value_pair paired(const slot_value& base, const slot_value& head) {
  value_pair pair{base.number, head.number, {}};
  const bool is_sliced = !base.slices_ns->empty() && !head.slices_ns->empty();
  // Slices that have no other half: a log that was meddled with. The numbers still stand.
  if (is_sliced && base.slices_ns->size() == head.slices_ns->size())
    pair.log_ratio = median_log_ratio(*base.slices_ns, *head.slices_ns);
  return pair;
}

struct row_history {
  paired_row row;
  std::uint32_t subject = 0;
  std::map<std::pair<stage, std::uint32_t>, block_values> blocks;
  std::map<std::pair<stage, std::uint32_t>, side> first_of_block;
  std::array<std::size_t, 2> appearances{};  // base, head
};

// What the processes of a subject came to.
struct subject_history {
  std::array<std::size_t, 2> runs{};  // that ended well
  std::array<std::string, 2> failures;
};

std::size_t at(side s) {
  return s == side::base ? 0 : 1;
}

class gathering {
 public:
  explicit gathering(const run_log& log) : log_(log), subjects_(log.subjects.size()) {}

  std::vector<row_history> gather() {
    for (const process_record& record : log_.records) take(record);
    add_silent_subjects();
    for (row_history& each : rows_) close(each);
    // By subject, and within one in the order of appearance.
    std::stable_sort(rows_.begin(), rows_.end(), [](const row_history& a, const row_history& b) {
      return a.subject < b.subject;
    });
    return std::move(rows_);
  }

 private:
  void take(const process_record& record) {
    const std::uint32_t subject = record.place.subject;
    if (subject >= subjects_.size() || record.place.slot >= 4) return;
    subject_history& history = subjects_[subject];
    const std::size_t where = at(record.place.side);
    if (!record.failure.empty()) {
      if (history.failures[where].empty()) history.failures[where] = record.failure;
      return;
    }
    ++history.runs[where];
    for (const model::sample_row& sample : record.rows) take(record, sample);
  }

  void take(const process_record& record, const model::sample_row& sample) {
    row_history& history = row_of(record.place.subject, sample);
    const std::size_t where = at(record.place.side);
    ++history.appearances[where];
    std::string& failure = where == 0 ? history.row.base_failure : history.row.head_failure;
    if (!sample.failure.empty() || sample.process_values.size() != 1) {
      if (failure.empty())
        failure = sample.failure.empty() ? "one process gave several numbers" : sample.failure;
      return;
    }
    if (sample.unit != history.row.unit && history.row.incomparable.empty())
      history.row.incomparable =
          fmt::format("is given in {} and in {}", history.row.unit, sample.unit);
    const std::pair key(record.stage, record.place.block);
    history.blocks[key][record.place.slot] = {sample.process_values.front(), &record.slices_ns};
    const bool is_outer = record.place.slot == 0 || record.place.slot == 3;
    history.first_of_block[key] = is_outer ? record.place.side : other(record.place.side);
  }

  row_history& row_of(std::uint32_t subject, const model::sample_row& sample) {
    const auto [found, is_new] =
        known_.try_emplace(std::tuple(subject, sample.metric, sample.name), rows_.size());
    if (is_new) {
      rows_.emplace_back();
      row_history& fresh = rows_.back();
      fresh.subject = subject;
      fresh.row.name = sample.name;
      fresh.row.metric = sample.metric;
      fresh.row.unit = sample.unit;
      fresh.row.better = sample.better;
      fresh.row.is_exact = sample.is_exact;
      fresh.row.is_control = log_.subjects[subject].is_control;
      fresh.row.is_same_code = log_.subjects[subject].is_same_code;
      fresh.row.is_moved_code = log_.subjects[subject].is_moved_code;
    }
    return rows_[found->second];
  }

  // Not run, or failed before any row was known: still a row.
  void add_silent_subjects() {
    std::vector<bool> has_row(subjects_.size(), false);
    for (const row_history& each : rows_) has_row[each.subject] = true;
    for (std::uint32_t subject = 0; subject < subjects_.size(); ++subject) {
      if (has_row[subject]) continue;
      model::sample_row nothing;
      nothing.name = log_.subjects[subject].name;
      nothing.metric = log_.subjects[subject].metric;
      static_cast<void>(row_of(subject, nothing));
      // Not for lack of appearing.
      rows_.back().appearances = {subjects_[subject].runs[0], subjects_[subject].runs[1]};
    }
  }

  void close(row_history& each) {
    const run_subject& subject = log_.subjects[each.subject];
    const subject_history& history = subjects_[each.subject];
    each.row.is_in_base = !subject.base_command.empty();
    each.row.is_in_head = !subject.head_command.empty();
    close_side(each, 0, each.row.base_failure, each.row.is_in_base, history);
    close_side(each, 1, each.row.head_failure, each.row.is_in_head, history);
    for (const auto& block : each.blocks) {
      // By name: no lambda of clang 14 sees a structured binding.
      const auto& key = block.first;
      const auto& values = block.second;
      const bool is_base_first = each.first_of_block.at(key) == side::base;
      auto& pairs = key.first == stage::screen ? each.row.screen : each.row.confirm;
      const auto pair = [&](std::size_t one, std::size_t two, bool is_base_one) {
        if (values[one] && values[two])
          pairs.push_back(is_base_one ? paired(*values[one], *values[two])
                                      : paired(*values[two], *values[one]));
      };
      pair(0, 1, is_base_first);
      pair(2, 3, !is_base_first);
      const auto contrast = [&](std::size_t early, std::size_t late, bool is_base) {
        if (!values[early] || !values[late] || each.row.is_exact) return;
        if (values[early]->number > 0 && values[late]->number > 0)
          (is_base ? each.row.contrasts.base : each.row.contrasts.head)
              .push_back(std::log(values[late]->number / values[early]->number));
      };
      contrast(0, 3, is_base_first);
      contrast(1, 2, !is_base_first);
    }
  }

  static void close_side(row_history& each, std::size_t where, std::string& failure, bool& is_in,
                         const subject_history& history) {
    if (!is_in) return;
    if (failure.empty()) failure = history.failures[where];
    const std::size_t runs = history.runs[where];
    const std::size_t seen = each.appearances[where];
    if (!failure.empty() || seen == runs) return;
    if (seen == 0)
      is_in = false;
    else
      failure = fmt::format("only {} of {} processes had it", seen, runs);
  }

  const run_log& log_;
  std::vector<subject_history> subjects_;
  std::vector<row_history> rows_;
  std::map<std::tuple<std::uint32_t, std::string, std::string>, std::size_t> known_;
};

}  // namespace

std::vector<paired_row> paired_rows(const run_log& log) {
  std::vector<paired_row> rows;
  for (row_history& each : gathering(log).gather()) rows.push_back(std::move(each.row));
  return rows;
}

std::vector<std::uint32_t> subjects_of_rows(const run_log& log) {
  std::vector<std::uint32_t> subjects;
  for (const row_history& each : gathering(log).gather()) subjects.push_back(each.subject);
  return subjects;
}

}  // namespace assay::compare
