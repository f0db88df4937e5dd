// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/json/guard_json.h"

#include <vector>

#include <nlohmann/json.hpp>

namespace assay::reports {
namespace {

using json = nlohmann::ordered_json;

// Bumped when a key changes its meaning or goes; a new key does not bump it.
constexpr int schema_version = 1;

json finding_json(const model::guard_finding& found) {
  json out = json::object();
  out["check"] = found.check;
  out["rule"] = found.rule;
  out["severity"] = to_string(found.severity);
  out["subject"] = found.subject;
  out["message"] = found.message;
  out["where"] = found.where;
  return out;
}

json check_json(const model::guard_check& check) {
  json out = json::object();
  out["name"] = check.name;
  out["evaluated_count"] = check.evaluated;
  out["fired_count"] = check.fired;
  if (check.evaluated == 0) out["absence"] = check.absence;
  return out;
}

json places_json(const std::vector<model::skipped_input>& all) {
  json out = json::array();
  for (const auto& each : all) {
    json one = json::object();
    one["where"] = each.where;
    one["what"] = each.what;
    out.push_back(std::move(one));
  }
  return out;
}

}  // namespace

std::string guard_as_json(const model::guard_report& report, model::outcome outcome) {
  json out = json::object();
  out["schema_version"] = schema_version;
  out["outcome"] = to_string(outcome);
  out["exit_code"] = static_cast<int>(outcome);
  out["promise_count"] = report.promise_count;
  out["sample_count"] = report.sample_count;
  out["skipped_count"] = report.skipped_count;
  out["skipped_value_count"] = report.skipped_value_count;
  out["findings"] = json::array();
  for (const auto& found : report.findings) out["findings"].push_back(finding_json(found));
  out["checks"] = json::array();
  for (const auto& check : report.checks) out["checks"].push_back(check_json(check));
  out["skipped"] = places_json(report.skipped);
  out["not_judged"] = places_json(report.not_judged);
  out["facts"] = json::array();
  for (const auto& fact : report.facts) {
    json one = json::object();
    one["name"] = fact.name;
    one["value"] = fact.value;
    out["facts"].push_back(std::move(one));
  }
  return out.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace assay::reports
