// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/guard/contract_start.h"

#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "harness/guard/guard.h"
#include "harness/guard/sample_names.h"
#include "harness/guard/series_index.h"
#include "harness/guard/unit_words.h"

namespace assay::guard {
namespace {

using json = nlohmann::ordered_json;
using model::metric_kind;
using model::promised_metric;

struct draft {
  metric_kind kind = metric_kind::unknown;
  std::string unit{};  ///< that a UNIT line says
  double amount = 0.0;
};

using draft_map = std::map<std::string, draft>;

// Each metric once, a histogram by its own name, in the order of names.
void add_drafts(const model::exposition& from, draft_map& all) {
  const series_index index(from);
  draft_map here;
  for (const auto& sample : from.samples) {
    const auto* family = index.family(sample.name);
    const metric_kind kind = family == nullptr ? metric_kind::unknown : family->kind;
    if (sample.name.ends_with("_created") && family != nullptr && family->name != sample.name)
      continue;
    draft& of = here[is_several(kind) ? family->name : sample.name];
    of.kind = kind;
    if (family != nullptr) of.unit = family->unit;
    if (!is_several(kind) || sample.name.ends_with("_count")) of.amount += sample.value;
  }
  for (auto& [name, of] : here) all[name] = std::move(of);
}

// a_sum that is declared beside the histogram a: only one of the two can be promised.
void drop_parts(draft_map& all) {
  std::erase_if(all, [&](const auto& each) {
    const auto whole = all.find(std::string(without_suffix(each.first)));
    return whole != all.end() && whole->first != each.first && is_several(whole->second.kind) &&
           is_published_by(each.first, whole->first, whole->second.kind);
  });
}

// What all names have up to their first ':' or '_'; empty where they differ.
std::string shared_prefix(const std::vector<promised_metric>& metrics) {
  std::string shared;
  for (const auto& metric : metrics) {
    const std::string& name = metric.name;
    const std::size_t colon = name.find(':');
    const std::size_t end = colon != std::string::npos ? colon : name.find('_');
    if (end == std::string::npos) return {};
    const std::string prefix = name.substr(0, end + 1);
    if (!shared.empty() && shared != prefix) return {};
    shared = prefix;
  }
  return shared;
}

std::string unit_of(const std::string& name, const draft& of) {
  const bool is_count = of.kind == metric_kind::counter;
  std::string unit = is_count ? "count" : "none";
  for (const auto& said : {unit_within(name), unit_in_name(name)})
    if (said) unit = *said;
  if (const auto said = unit_of_word(of.unit)) unit = *said;
  // What is a share or a rate does not add up, and no contract may promise that it does: the check
  // of units says so of the name.
  const bool can_add_up = unit != "ratio" && unit != "percent" && !unit.ends_with("_per_second");
  return is_count && !can_add_up ? "count" : unit;
}

promised_metric promise_of(const std::string& name, const draft& of) {
  promised_metric made;
  made.name = name;
  made.kind = of.kind;
  made.unit = unit_of(name, of);
  made.is_exercised = is_cumulative(of.kind) && of.amount > 0;
  if (is_cumulative(of.kind) && !made.is_exercised)
    made.reason = "stood at 0 when the contract was begun";
  return made;
}

json metric_json(const promised_metric& metric) {
  json out = json::object();
  out["name"] = metric.name;
  out["kind"] = to_string(metric.kind);
  out["unit"] = metric.unit;
  if (is_cumulative(metric.kind)) out["exercised"] = metric.is_exercised;
  if (!metric.reason.empty()) out["reason"] = metric.reason;
  return out;
}

json known_json(const model::known_finding& known) {
  json out = json::object();
  out["check"] = known.check;
  out["name"] = known.name;
  out["reason"] = known.reason;
  return out;
}

// A line that is none cannot be promised again.
std::vector<model::known_finding> known_of(const model::guard_report& report) {
  std::vector<model::known_finding> known;
  std::set<std::pair<std::string_view, std::string_view>> seen;
  for (const auto& found : report.findings) {
    if (found.severity == model::severity::warning || found.check == "input") continue;
    if (!seen.emplace(found.check, found.subject).second) continue;
    known.push_back(
        {found.check, found.subject, "stood so when the contract was begun, nobody has looked"});
  }
  return known;
}

}  // namespace

model::guard_contract contract_from(std::span<const model::exposition> snapshots) {
  draft_map drafts;
  for (const auto& snapshot : snapshots) add_drafts(snapshot, drafts);
  drop_parts(drafts);
  model::guard_contract made;
  for (const auto& [name, of] : drafts) made.metrics.push_back(promise_of(name, of));
  if (std::string prefix = shared_prefix(made.metrics); !prefix.empty())
    made.metric_prefixes.push_back(std::move(prefix));
  made.known = known_of(judge(made, snapshots, nullptr, nullptr));
  return made;
}

std::string contract_as_json(const model::guard_contract& contract) {
  json out = json::object();
  out["format"] = "assay.guard-contract";
  out["version"] = 1;
  out["metric_prefixes"] = contract.metric_prefixes;
  out["metrics"] = json::array();
  for (const auto& metric : contract.metrics) out["metrics"].push_back(metric_json(metric));
  for (const char* key : {"balances", "ratios", "ignored"}) out[key] = json::array();
  out["known"] = json::array();
  for (const auto& each : contract.known) out["known"].push_back(known_json(each));
  return out.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace assay::guard
