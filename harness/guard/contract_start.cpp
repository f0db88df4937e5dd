// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "harness/guard/guard.h"
#include "harness/guard/series_index.h"
#include "harness/guard/unit_words.h"

namespace assay::guard {
namespace {

using json = nlohmann::ordered_json;
using model::metric_kind;

struct draft {
  metric_kind kind = metric_kind::unknown;
  double amount = 0.0;
};

bool is_several(metric_kind kind) {
  return kind == metric_kind::histogram || kind == metric_kind::summary;
}

// Each metric once, a histogram by its own name, in the exposition's order of names.
std::map<std::string, draft> drafts_of(const model::exposition& from) {
  const series_index index(from);
  std::map<std::string, draft> all;
  for (const auto& sample : from.samples) {
    const auto* family = index.family(sample.name);
    const metric_kind kind = family == nullptr ? metric_kind::unknown : family->kind;
    if (sample.name.ends_with("_created") && family != nullptr && family->name != sample.name)
      continue;
    draft& of = all[is_several(kind) ? family->name : sample.name];
    of.kind = kind;
    if (!is_several(kind) || sample.name.ends_with("_count")) of.amount += sample.value;
  }
  return all;
}

// What all names have up to their first ':' or '_'; empty where they differ.
std::string shared_prefix(const std::map<std::string, draft>& drafts) {
  std::string shared;
  for (const auto& [name, of] : drafts) {
    const std::size_t colon = name.find(':');
    const std::size_t end = colon != std::string::npos ? colon : name.find('_');
    if (end == std::string::npos) return {};
    const std::string prefix = name.substr(0, end + 1);
    if (!shared.empty() && shared != prefix) return {};
    shared = prefix;
  }
  return shared;
}

json metric_json(const std::string& name, const draft& of) {
  json out = json::object();
  out["name"] = name;
  out["kind"] = to_string(of.kind);
  out["unit"] = unit_in_name(name).value_or(of.kind == metric_kind::counter ? "count" : "none");
  const bool is_cumulative = of.kind == metric_kind::counter || is_several(of.kind);
  if (is_cumulative) {
    out["exercised"] = of.amount > 0;
    if (!(of.amount > 0)) out["reason"] = "stood at 0 when the contract was begun";
  }
  return out;
}

}  // namespace

std::string contract_from(const model::exposition& from) {
  const auto drafts = drafts_of(from);
  json out = json::object();
  out["format"] = "assay.guard-contract";
  out["version"] = 1;
  const std::string prefix = shared_prefix(drafts);
  out["metric_prefixes"] = json::array();
  if (!prefix.empty()) out["metric_prefixes"].push_back(prefix);
  out["metrics"] = json::array();
  for (const auto& [name, of] : drafts) out["metrics"].push_back(metric_json(name, of));
  for (const char* key : {"balances", "ratios", "ignored"}) out[key] = json::array();
  return out.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace assay::guard
