// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/history/entry_json.h"

#include <nlohmann/json.hpp>

namespace assay::history {
namespace {

using json = nlohmann::ordered_json;

json as_json(const measure& what) {
  json made = json::object();
  made["name"] = what.name;
  if (!what.metric.empty()) made["metric"] = what.metric;
  made["unit"] = what.unit;
  if (what.value)
    made["value"] = *what.value;
  else
    made["absence"] = what.absence;
  made["state"] = what.state;
  return made;
}

}  // namespace

std::string as_json_line(const kept_entry& what) {
  json made = json::object();
  made["key"] = what.key;
  made["recorded_at_ns"] = what.recorded_at_ns;
  made["verb"] = what.entry.verb;
  made["outcome"] = what.entry.outcome;
  if (!what.entry.commit.empty()) made["commit"] = what.entry.commit;
  made["facts"] = json::array();
  for (const model::fact& each : what.entry.facts) {
    json fact = json::object();
    fact["name"] = each.name;
    fact["value"] = each.value;
    made["facts"].push_back(std::move(fact));
  }
  made["measures"] = json::array();
  for (const measure& each : what.entry.measures) made["measures"].push_back(as_json(each));
  return made.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace assay::history
