// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/merged_run.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <system_error>

#include <fmt/format.h>

#include "harness/compare/run_file.h"
#include "runtime/telemetry/fnv1a.h"

namespace assay::compare {
namespace {

constexpr const char* shard_name = "shard";
constexpr const char* rows_name = "rows of all shards";
constexpr std::uint32_t most_shards = 1000;
constexpr const char* built_alike_words =
    ", built alike: in folders whose names are equally long, or without them (-ffile-prefix-map)";

std::optional<shard> shard_in(std::string_view text) {
  shard which;
  const char* end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, which.number);
  if (first.ec != std::errc{} || first.ptr == end || *first.ptr != '/') return std::nullopt;
  const auto second = std::from_chars(first.ptr + 1, end, which.count);
  if (second.ec != std::errc{} || second.ptr != end) return std::nullopt;
  const bool is_sane =
      which.number >= 1 && which.number <= which.count && which.count <= most_shards;
  return is_sane ? std::optional(which) : std::nullopt;
}

// What makes two logs parts of one run: how they judge, what they measured, and of which rows each
// took its part. By name, so that what differs can be told.
std::vector<model::fact> identity_of(const run_log& log) {
  run_log bare;
  bare.rules = log.rules;
  std::vector<model::fact> identity{{"rules", head_line(bare)}};
  for (const char* name : {"base commit", "head commit", "base command", "head command", rows_name})
    identity.push_back({name, value_of(log.facts, name)});
  // Two files that load the same are measured alike. Of a script there is nothing but its bytes.
  for (const auto& [code, bytes] :
       {std::pair(base_code_name, base_digest_name), std::pair(head_code_name, head_digest_name)}) {
    const std::string loaded = value_of(log.facts, code);
    identity.push_back({code, loaded.empty() ? value_of(log.facts, bytes) : loaded});
  }
  return identity;
}

// Empty where nothing differs.
std::string difference(const std::vector<model::fact>& one, const std::vector<model::fact>& other) {
  for (std::size_t i = 0; i < one.size(); ++i)
    if (one[i].value != other[i].value) return one[i].name;
  return {};
}

class merging {
 public:
  result<void> take(const std::string& file, const run_log& log) {
    const auto which = shard_in(value_of(log.facts, shard_name));
    if (!which) return refused(file, "is no shard; give logs of runs with --shard");
    if (seen_.empty()) {
      count_ = which->count;
      identity_ = identity_of(log);
      merged_.rules = log.rules;
      merged_.is_complete = true;
      merged_.incompleteness.clear();
    }
    if (which->count != count_)
      return refused(file, fmt::format("is a shard of another run, of {} and not of {}; give those "
                                       "of one",
                                       which->count, count_));
    if (const std::string what = difference(identity_, identity_of(log)); !what.empty())
      return refused(
          file,
          fmt::format("is a shard of another run: other {} than in {}; give those of one{}", what,
                      seen_.begin()->second, what.ends_with("code") ? built_alike_words : ""));
    if (!seen_.emplace(which->number, file).second)
      return refused(file, fmt::format("is shard {} as {} is; give each once", which->number,
                                       seen_[which->number]));
    for (const run_subject& each : log.subjects)
      if (!each.is_control && !measured_.emplace(each.name, file).second)
        return refused(file,
                       fmt::format("has the row {}, which {} has measured; give logs of one run",
                                   each.name, measured_[each.name]));
    add(which->number, log);
    return {};
  }

  run_log finish() {
    for (std::uint32_t number = 1; number <= count_; ++number)
      if (seen_.count(number) == 0)
        note_incomplete(fmt::format("shard {} of {} is missing", number, count_));
    for (const std::string& name : fact_names_) add_fact(name);
    merged_.facts.push_back({"shards", fmt::format("{} of {}", seen_.size(), count_)});
    if (has_two_files(base_digest_name) || has_two_files(head_digest_name))
      merged_.facts.push_back({"shards' binaries",
                               "different files that load the same: build ids, debug information "
                               "or the names of folders differ"});
    return std::move(merged_);
  }

 private:
  static failure refused(const std::string& file, const std::string& why) {
    return ASSAY_FAIL(unusable_input, fmt::format("{}: {}", file, why));
  }

  void add(std::uint32_t number, const run_log& log) {
    const auto offset = static_cast<std::uint32_t>(merged_.subjects.size());
    const auto name_in_shard = [number](const std::string& name) {
      return fmt::format("{}, shard {}", name, number);
    };
    for (run_subject subject : log.subjects) {
      if (subject.is_control) subject.name = name_in_shard(subject.name);
      merged_.subjects.push_back(std::move(subject));
    }
    for (process_record record : log.records) {
      const bool is_control = log.subjects[record.place.subject].is_control;
      for (model::sample_row& row : record.rows)
        if (is_control) row.name = name_in_shard(row.name);
      record.place.subject += offset;
      merged_.records.push_back(std::move(record));
    }
    if (!log.is_complete) note_incomplete(fmt::format("shard {}: {}", number, log.incompleteness));
    for (const model::fact& each : log.facts) {
      if (each.name == shard_name) continue;
      auto& values = values_[each.name];
      if (values.empty()) fact_names_.push_back(each.name);
      values.emplace_back(number, each.value);
    }
  }

  // Once where all shards say the same, else each by itself.
  void add_fact(const std::string& name) {
    const auto& values = values_[name];
    const bool is_same = values.size() == seen_.size() &&
                         std::all_of(values.begin(), values.end(), [&](const auto& each) {
                           return each.second == values.front().second;
                         });
    if (is_same) {
      merged_.facts.push_back({name, values.front().second});
      return;
    }
    for (const auto& each : values)
      merged_.facts.push_back({fmt::format("{}, shard {}", name, each.first), each.second});
  }

  bool has_two_files(const char* name) {
    const auto& values = values_[name];
    return std::any_of(values.begin(), values.end(),
                       [&](const auto& each) { return each.second != values.front().second; });
  }

  void note_incomplete(const std::string& why) {
    merged_.is_complete = false;
    merged_.incompleteness += (merged_.incompleteness.empty() ? "" : "; ") + why;
  }

  run_log merged_;
  std::vector<model::fact> identity_;
  std::uint32_t count_ = 0;
  std::map<std::uint32_t, std::string> seen_;
  std::map<std::string, std::string> measured_;  // row and file
  std::vector<std::string> fact_names_;          // in order of appearance
  std::map<std::string, std::vector<std::pair<std::uint32_t, std::string>>> values_;
};

}  // namespace

result<shard> parse_shard(std::string_view flag, std::string_view text) {
  if (const auto which = shard_in(text)) return *which;
  return ASSAY_FAIL(
      usage, fmt::format("{}: '{}' is no part of a whole; write I/N, such as 2/3", flag, text));
}

result<std::vector<run_subject>> subjects_of(const shard& which,
                                             const std::vector<run_subject>& all) {
  std::vector<run_subject> taken;
  for (std::size_t at = which.number - 1; at < all.size(); at += which.count)
    taken.push_back(all[at]);
  if (taken.empty())
    return ASSAY_FAIL(usage, fmt::format("--shard: there are {} rows, and none is left for shard "
                                         "{}; use fewer shards",
                                         all.size(), which.number));
  return taken;
}

model::fact shard_fact(const shard& which) {
  return {shard_name, fmt::format("{}/{}", which.number, which.count)};
}

model::fact rows_fact(const std::vector<run_subject>& all) {
  telemetry::fnv1a digest;
  for (const run_subject& each : all) digest.take(each.name + '\n');
  return {rows_name, fmt::format("{}, {:016x}", all.size(), digest.value())};
}

result<run_log> merge_runs(const std::vector<std::pair<std::string, run_log>>& logs) {
  if (logs.empty()) return ASSAY_FAIL(usage, "--merge: no logs; name each with --merge FILE");
  merging all;
  for (const auto& each : logs) ASSAY_TRY(all.take(each.first, each.second));
  return all.finish();
}

}  // namespace assay::compare
