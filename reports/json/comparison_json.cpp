// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/json/comparison_json.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include <nlohmann/json.hpp>

#include "reports/model/comparison_outcome.h"

namespace assay::reports {
namespace {

using json = nlohmann::ordered_json;

// Bumped when a key changes its meaning or goes; a new key does not bump it.
constexpr int schema_version = 1;

json number(double value) {
  json out = json::object();
  if (std::isfinite(value))
    out["value"] = value;
  else
    out["absence"] = "not a finite number";
  return out;
}

json absence(const std::string& why) {
  json out = json::object();
  out["absence"] = why.empty() ? "absent, and no reason was given" : why;
  return out;
}

json side_json(const model::quantity& side) {
  if (!side.is_present) return absence(side.absence);
  return number(side.is_real ? side.real : static_cast<double>(side.integer));
}

json ratio_json(const std::optional<double>& ratio, const char* why) {
  return ratio ? number(*ratio) : absence(why);
}

json interval_json(const std::optional<model::change_interval>& interval, const char* why) {
  if (!interval) return absence(why);
  json out = json::object();
  out["low_ratio"] = number(interval->low_ratio);
  out["high_ratio"] = number(interval->high_ratio);
  return out;
}

// "not comparable_count" would be no key that anybody expects.
std::string count_key(model::row_state state) {
  std::string key(to_string(state));
  std::replace(key.begin(), key.end(), ' ', '_');
  return key + "_count";
}

json row_json(const model::comparison_row& row) {
  json out = json::object();
  out["name"] = row.name;
  out["metric"] = row.metric;
  out["unit"] = row.unit;
  out["better"] = to_string(row.better);
  out["state"] = to_string(row.state);
  out["reason"] = row.reason;
  out["base"] = side_json(row.base);
  out["head"] = side_json(row.head);
  out["change_ratio"] = ratio_json(row.change_ratio, "no two numbers to compare");
  out["interval"] = interval_json(row.interval, "too few pairs, or none");
  if (row.interval) out["interval_level_ratio"] = row.interval_level_ratio;
  out["visible_ratio"] = ratio_json(row.visible_ratio, "too few pairs to tell");
  out["margin_ratio"] = row.margin_ratio;
  out["margin_source"] = row.margin_source;
  out["adjusted_p"] = ratio_json(row.p_value, "not tested: it did not pass the screen");
  out["base_processes_count"] = row.base_processes;
  out["head_processes_count"] = row.head_processes;
  out["pairs_count"] = row.pairs;
  out["is_exact"] = row.is_exact;
  out["is_confirmed"] = row.is_confirmed;
  out["is_advisory"] = row.is_advisory;
  if (row.is_left_unconfirmed) out["is_left_unconfirmed"] = true;
  if (!row.similar_to.empty()) out["similar_to"] = row.similar_to;
  return out;
}

json control_json(const model::control_line& line) {
  json out = json::object();
  out["name"] = line.name;
  out["change_ratio"] = ratio_json(line.change_ratio, "no pairs");
  out["interval"] = interval_json(line.interval, "too few pairs, or none");
  out["pairs_count"] = line.pairs;
  out["has_moved"] = line.has_moved;
  out["detail"] = line.detail;
  out["unjudged"] = line.unjudged;
  return out;
}

json summary_json(const model::comparison_report& report) {
  json out = json::object();
  out["rows_count"] = report.rows.size();
  for (const model::row_state state : model::all_row_states)
    out[count_key(state)] = count_of(report, state);
  return out;
}

json count_json(const model::coverage_count& count) {
  json out = json::object();
  out["covered_count"] = count.covered;
  out["total_count"] = count.total;
  return out;
}

json totals_json(const std::optional<model::coverage_totals>& totals) {
  if (!totals) return absence("not uploaded");
  json out = json::object();
  out["lines"] = count_json(totals->lines);
  out["branches"] = count_json(totals->branches);
  out["files"] = count_json(totals->files);
  return out;
}

json coverage_json(const model::coverage_table& table) {
  json out = json::object();
  json& flags = out["flags"] = json::array();
  for (const model::coverage_flag& flag : table.flags) {
    json each = json::object();
    each["name"] = flag.name;
    each["base"] = totals_json(flag.base);
    each["head"] = totals_json(flag.head);
    const std::string& why = table.touched_absence.empty() ? flag.carried : table.touched_absence;
    each["touched_lines"] =
        flag.touched ? count_json(*flag.touched) : absence(why.empty() ? flag.unknown : why);
    if (!flag.unknown.empty()) each["unknown"] = flag.unknown;
    if (!flag.carried.empty()) each["carried"] = flag.carried;
    if (!flag.unseen_files.empty()) each["unseen_files"] = flag.unseen_files;
    if (!flag.gone_files.empty()) each["gone_files"] = flag.gone_files;
    flags.push_back(std::move(each));
  }
  json& losses = out["losses"] = json::array();
  for (const model::coverage_loss& loss : table.losses) {
    json each = json::object();
    each["flag"] = loss.flag;
    each["file"] = loss.file;
    each["base"] = count_json(loss.base);
    each["head"] = count_json(loss.head);
    losses.push_back(std::move(each));
  }
  return out;
}

}  // namespace

std::string comparison_as_json(const model::comparison_report& report, model::outcome outcome) {
  json out = json::object();
  out["schema_version"] = schema_version;
  out["outcome"] = to_string(outcome);
  out["exit_code"] = static_cast<int>(outcome);
  out["is_complete"] = report.is_complete;
  if (!report.is_complete) out["incompleteness"] = report.incompleteness;
  out["is_paired"] = report.is_paired;
  out["is_contaminated"] = report.is_contaminated;
  if (report.is_contaminated) out["contamination"] = report.contamination;
  out["summary"] = summary_json(report);
  json& rows = out["rows"] = json::array();
  for (const auto& row : report.rows) rows.push_back(row_json(row));
  json& controls = out["controls"] = json::array();
  for (const auto& line : report.controls) controls.push_back(control_json(line));
  if (report.coverage) out["coverage"] = coverage_json(*report.coverage);
  out["notes"] = report.notes;
  out["blind_spots"] = report.blind_spots;
  json& facts = out["facts"] = json::array();
  for (const auto& fact : report.facts) {
    json each = json::object();
    each["name"] = fact.name;
    each["value"] = fact.value;
    facts.push_back(std::move(each));
  }
  return out.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace assay::reports
