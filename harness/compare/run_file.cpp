// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/run_file.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "harness/compare/signed_rank.h"

namespace assay::compare {
namespace {

using json = nlohmann::ordered_json;

constexpr int format_version = 1;
constexpr std::string_view head_key = "assay_comparison_log";

std::string line_of(const json& object) {
  return object.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

template <class T>
void put(json& out, const char* key, const std::optional<T>& value) {
  if (value) out[key] = *value;
}

json subject_json(const run_subject& subject) {
  json out = json::object();
  out["name"] = subject.name;
  out["metric"] = subject.metric;
  out["base_command"] = subject.base_command;
  out["head_command"] = subject.head_command;
  if (subject.is_control) out["is_control"] = true;
  if (subject.is_same_code) out["is_same_code"] = true;
  if (subject.is_moved_code) out["is_moved_code"] = true;
  if (subject.is_sliced) out["is_sliced"] = true;
  if (subject.is_exact) out["is_exact"] = true;
  return out;
}

json row_json(const model::sample_row& row) {
  json out = json::object();
  out["name"] = row.name;
  out["metric"] = row.metric;
  out["unit"] = row.unit;
  out["better"] = to_string(row.better);
  if (row.is_exact) out["is_exact"] = true;
  if (!row.failure.empty())
    out["failure"] = row.failure;
  else
    out["values"] = row.process_values;
  return out;
}

json facts_json(const std::vector<model::fact>& facts) {
  json out = json::array();
  for (const model::fact& each : facts) {
    json one = json::object();
    one["name"] = each.name;
    one["value"] = each.value;
    out.push_back(std::move(one));
  }
  return out;
}

json rules_json(const decision_rules& rules) {
  json out = json::object();
  out["threshold_ratio"] = rules.threshold_ratio;
  put(out, "floor_ratio", rules.floor_ratio);
  if (!rules.floor_source.empty()) out["floor_source"] = rules.floor_source;
  if (!rules.floor_of_row.empty()) out["floor_of_row"] = rules.floor_of_row;
  out["uncalibrated_floor_ratio"] = rules.uncalibrated_floor_ratio;
  out["screen_level"] = rules.screen_level;
  out["confirm_level"] = rules.confirm_level;
  out["interval_level"] = rules.interval_level;
  out["screen_pairs"] = rules.screen_pairs;
  out["confirm_pairs"] = rules.confirm_pairs;
  out["seed"] = rules.seed;
  return out;
}

// What a field holds where a log is not as it is written here.
class broken {
 public:
  explicit broken(std::string what) : what_(std::move(what)) {}
  const std::string& what() const { return what_; }

 private:
  std::string what_;
};

template <class T>
T field(const json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end()) throw broken(fmt::format("$.{} is missing", key));
  try {
    return found->get<T>();
  } catch (const json::exception&) {
    throw broken(fmt::format("$.{} is of the wrong type", key));
  }
}

template <class T>
T field_or(const json& object, const char* key, T otherwise) {
  return object.contains(key) ? field<T>(object, key) : otherwise;
}

template <class T>
std::optional<T> optional_field(const json& object, const char* key) {
  return object.contains(key) ? std::optional<T>(field<T>(object, key)) : std::nullopt;
}

double ratio_field(const json& object, const char* key, double most) {
  const auto value = field<double>(object, key);
  if (!(value >= 0.0 && value <= most))
    throw broken(fmt::format("$.rules.{} is out of range", key));
  return value;
}

decision_rules rules_of(const json& in) {
  decision_rules rules;
  rules.threshold_ratio = ratio_field(in, "threshold_ratio", 1e3);
  if (in.contains("floor_ratio")) rules.floor_ratio = ratio_field(in, "floor_ratio", 1e3);
  rules.floor_source = field_or<std::string>(in, "floor_source", {});
  rules.floor_of_row = field_or<std::map<std::string, double>>(in, "floor_of_row", {});
  for (const auto& [name, floor] : rules.floor_of_row)
    if (!(floor >= 0 && floor <= 1e3)) throw broken("$.rules.floor_of_row has what is no share");
  rules.uncalibrated_floor_ratio = ratio_field(in, "uncalibrated_floor_ratio", 1e3);
  rules.screen_level = ratio_field(in, "screen_level", 0.5);
  rules.confirm_level = ratio_field(in, "confirm_level", 0.5);
  rules.interval_level = ratio_field(in, "interval_level", 0.9999);
  rules.screen_pairs = field<std::size_t>(in, "screen_pairs");
  rules.confirm_pairs = field<std::size_t>(in, "confirm_pairs");
  rules.seed = field<std::uint64_t>(in, "seed");
  if (rules.screen_level == 0 || rules.confirm_level == 0) throw broken("$.rules: a level of 0");
  if (rules.screen_pairs > signed_rank_null::exact_pairs ||
      rules.confirm_pairs > signed_rank_null::exact_pairs)
    throw broken("$.rules: more pairs than a run may have");
  return rules;
}

run_subject subject_of(const json& in) {
  run_subject subject;
  subject.name = field<std::string>(in, "name");
  subject.metric = field<std::string>(in, "metric");
  subject.base_command = field<std::vector<std::string>>(in, "base_command");
  subject.head_command = field<std::vector<std::string>>(in, "head_command");
  subject.is_control = field_or<bool>(in, "is_control", false);
  subject.is_same_code = field_or<bool>(in, "is_same_code", false);
  subject.is_moved_code = field_or<bool>(in, "is_moved_code", false);
  subject.is_sliced = field_or<bool>(in, "is_sliced", false);
  subject.is_exact = field_or<bool>(in, "is_exact", false);
  return subject;
}

model::direction direction_of(const std::string& word) {
  for (const auto each : {model::direction::unknown, model::direction::lower_is_better,
                          model::direction::higher_is_better})
    if (to_string(each) == word) return each;
  throw broken("$.rows[].better is no direction");
}

model::sample_row row_of(const json& in) {
  model::sample_row row;
  row.name = field<std::string>(in, "name");
  row.metric = field<std::string>(in, "metric");
  row.unit = field<std::string>(in, "unit");
  row.better = direction_of(field<std::string>(in, "better"));
  row.is_exact = field_or<bool>(in, "is_exact", false);
  row.failure = field_or<std::string>(in, "failure", {});
  if (row.failure.empty()) row.process_values = field<std::vector<double>>(in, "values");
  for (const double value : row.process_values)
    if (!std::isfinite(value) || (!row.is_exact && !has_ratio(value)))
      throw broken("$.rows[].values has a number that is no time");
  return row;
}

process_record record_of(const json& in, const run_log& log) {
  process_record record;
  const auto stage_word = field<std::string>(in, "stage");
  const auto side_word = field<std::string>(in, "side");
  if (stage_word != "screen" && stage_word != "confirm") throw broken("$.stage is no stage");
  if (side_word != "base" && side_word != "head") throw broken("$.side is no side");
  record.stage = stage_word == "screen" ? stage::screen : stage::confirm;
  record.place.side = side_word == "base" ? side::base : side::head;
  record.place.subject = field<std::uint32_t>(in, "subject");
  record.place.block = field<std::uint32_t>(in, "block");
  record.place.slot = field<std::uint32_t>(in, "slot");
  if (record.place.subject >= log.subjects.size()) throw broken("$.subject is no subject");
  if (record.place.slot >= 2 * pairs_a_block) throw broken("$.slot is no slot");
  std::size_t pairs =
      record.stage == stage::screen ? log.rules.screen_pairs : log.rules.confirm_pairs;
  if (log.subjects[record.place.subject].is_control) pairs = std::max(pairs, fewest_control_pairs);
  if (std::size_t{record.place.block} * pairs_a_block >= pairs)
    throw broken("$.block is beyond the plan");
  record.wall_ns = field<std::int64_t>(in, "wall_ns");
  record.cpu_ns = field<std::int64_t>(in, "cpu_ns");
  record.steal_ns = optional_field<std::int64_t>(in, "steal_ns");
  record.throttled_ns = optional_field<std::int64_t>(in, "throttled_ns");
  record.load_average = optional_field<double>(in, "load_average");
  record.frequency_hz = optional_field<std::int64_t>(in, "frequency_hz");
  record.failure = field_or<std::string>(in, "failure", {});
  if (!record.failure.empty()) return record;
  for (const json& row : field<std::vector<json>>(in, "rows")) record.rows.push_back(row_of(row));
  record.slices_ns = field_or<std::vector<double>>(in, "slices_ns", {});
  for (const double ns : record.slices_ns)
    if (!has_ratio(ns)) throw broken("$.slices_ns has a number that is no time");
  return record;
}

void take_head(const json& in, run_log& log) {
  if (field<int>(in, head_key.data()) != format_version)
    throw broken("it is of another version of assay");
  log.rules = rules_of(field<json>(in, "rules"));
  for (const json& each : field<std::vector<json>>(in, "subjects"))
    log.subjects.push_back(subject_of(each));
  for (const json& each : field<std::vector<json>>(in, "facts"))
    log.facts.push_back({field<std::string>(each, "name"), field<std::string>(each, "value")});
}

void take_end(const json& in, run_log& log) {
  log.is_complete = field<bool>(in, "is_complete");
  log.incompleteness = field_or<std::string>(in, "incompleteness", {});
  if (!log.is_complete && log.incompleteness.empty()) log.incompleteness = "no reason was given";
  for (const json& each : field<std::vector<json>>(in, "facts"))
    log.facts.push_back({field<std::string>(each, "name"), field<std::string>(each, "value")});
}

using record_place = std::tuple<stage, std::uint32_t, std::uint32_t, std::uint32_t>;

void take_line(std::string_view line, std::size_t number, run_log& log,
               std::set<record_place>& seen) {
  json in;
  try {
    in = json::parse(line.begin(), line.end());
  } catch (const json::exception&) {
    throw broken("it is no JSON");
  }
  if (!in.is_object()) throw broken("it is no object");
  if (number == 1) return take_head(in, log);
  if (in.contains("end")) return take_end(field<json>(in, "end"), log);
  process_record record = record_of(in, log);
  const planned_process& place = record.place;
  // Of two the later would silently replace the earlier.
  if (!seen.emplace(record.stage, place.subject, place.block, place.slot).second)
    throw broken(fmt::format(
        "is a second record of {}, {}, block {}, slot {}", log.subjects[place.subject].name,
        record.stage == stage::screen ? "screen" : "confirm", place.block, place.slot));
  log.records.push_back(std::move(record));
}

}  // namespace

std::string head_line(const run_log& log) {
  json out = json::object();
  out[std::string(head_key)] = format_version;
  out["rules"] = rules_json(log.rules);
  out["subjects"] = json::array();
  for (const run_subject& each : log.subjects) out["subjects"].push_back(subject_json(each));
  out["facts"] = facts_json(log.facts);
  return line_of(out);
}

std::string record_line(const process_record& record) {
  json out = json::object();
  out["stage"] = record.stage == stage::screen ? "screen" : "confirm";
  out["side"] = record.place.side == side::base ? "base" : "head";
  out["subject"] = record.place.subject;
  out["block"] = record.place.block;
  out["slot"] = record.place.slot;
  out["wall_ns"] = record.wall_ns;
  out["cpu_ns"] = record.cpu_ns;
  put(out, "steal_ns", record.steal_ns);
  put(out, "throttled_ns", record.throttled_ns);
  put(out, "load_average", record.load_average);
  put(out, "frequency_hz", record.frequency_hz);
  if (!record.failure.empty()) out["failure"] = record.failure;
  out["rows"] = json::array();
  for (const model::sample_row& each : record.rows) out["rows"].push_back(row_json(each));
  if (!record.slices_ns.empty()) out["slices_ns"] = record.slices_ns;
  return line_of(out);
}

std::string end_line(const run_log& log, const std::vector<model::fact>& added) {
  json end = json::object();
  end["is_complete"] = log.is_complete;
  if (!log.is_complete) end["incompleteness"] = log.incompleteness;
  end["facts"] = facts_json(added);
  json out = json::object();
  out["end"] = std::move(end);
  return line_of(out);
}

bool is_run_log(std::string_view text) {
  return text.substr(0, 64).find(head_key) != std::string_view::npos;
}

result<run_log> parse_run_log(std::string_view text, std::string_view file) {
  run_log log;
  std::size_t number = 0;
  std::set<record_place> seen;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const bool is_cut_off = end == std::string_view::npos;
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(is_cut_off ? text.size() : end + 1);
    ++number;
    try {
      take_line(line, number, log, seen);
    } catch (const broken& why) {
      if (is_cut_off && number > 1) break;
      return ASSAY_FAIL(unusable_input,
                        fmt::format("{}: line {}: {}; give a file that assay compare wrote with "
                                    "--out-samples",
                                    file, number, why.what()));
    }
  }
  if (number == 0)
    return ASSAY_FAIL(unusable_input,
                      fmt::format("{}: is empty; give a file that assay compare wrote with "
                                  "--out-samples",
                                  file));
  return log;
}

}  // namespace assay::compare
