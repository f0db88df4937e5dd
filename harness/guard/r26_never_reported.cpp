// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// R26: published and not promised, promised and not explained, explained and not there.
#include <algorithm>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "harness/guard/checks.h"
#include "harness/guard/pattern.h"
#include "harness/guard/sample_names.h"
#include "harness/guard/unit_words.h"

namespace assay::guard {
namespace {

using model::metric_kind;
using model::severity;

using promise_map = std::unordered_map<std::string_view, const model::promised_metric*>;

promise_map promises_of(const model::guard_contract& contract) {
  promise_map all;
  for (const auto& metric : contract.metrics) all.emplace(metric.name, &metric);
  return all;
}

// A histogram publishes by three names and not by a fourth, and OpenMetrics says of a counter when
// it began.
bool is_promised(std::string_view name, const promise_map& promised) {
  if (promised.count(name) != 0) return true;
  const std::string_view base = without_suffix(name);
  if (base == name) return false;
  for (const std::string& metric : {std::string(base), std::string(base) + "_total"}) {
    const auto found = promised.find(metric);
    if (found == promised.end() || found->second->kind == metric_kind::unknown) continue;
    if (is_published_by(name, found->second->name, found->second->kind)) return true;
  }
  return false;
}

bool is_ignored(std::string_view name, const model::guard_contract& contract) {
  return std::any_of(contract.ignored.begin(), contract.ignored.end(),
                     [&](const model::allowance& each) { return fits(each.pattern, name); });
}

// Every name that a metric may be spoken of by: as it is published, and without what its format
// appends.
std::unordered_set<std::string> spoken_names(const subject& of) {
  std::unordered_set<std::string> names;
  const auto add = [&](std::string_view name) {
    names.emplace(name);
    names.emplace(without_suffix(name));
  };
  for (const auto& metric : of.contract->metrics) {
    add(metric.name);
    for (const std::string_view suffix : suffixes_of(metric.kind))
      names.insert(metric.name + std::string(suffix));
  }
  for (const auto& snapshot : of.snapshots)
    for (const auto& sample : snapshot.from().samples) add(sample.name);
  return names;
}

}  // namespace

void check_undeclared(const subject& of, check_log& log) {
  if (of.snapshots.empty()) return log.absent("no metrics were given");
  const promise_map promised = promises_of(*of.contract);
  std::unordered_set<std::string_view> seen;
  for (const auto& snapshot : of.snapshots)
    for (const auto& sample : snapshot.from().samples) {
      if (is_promised(sample.name, promised) || is_ignored(sample.name, *of.contract)) {
        log.looked();
        continue;
      }
      const auto* family = snapshot.family(sample.name);
      const std::string_view subject = family != nullptr ? family->name : sample.name;
      if (!seen.insert(subject).second) continue;
      log.looked();
      log.find(severity::error, "R26", subject,
               fmt::format("{} is published and not in the contract", subject),
               place_of(snapshot.from().source, sample.line));
    }
}

void check_undocumented(const subject& of, check_log& log) {
  if (of.documents == nullptr) return log.absent("no documents were given");
  for (const auto& metric : of.contract->metrics) {
    log.looked();
    if (of.documents->find_whole_metric(metric) != nullptr) continue;
    log.find(severity::error, "R26", metric.name,
             fmt::format("{} is promised, and no document speaks of it", metric.name),
             place_of(of.contract->source, metric.line));
  }
}

void check_documented_absent(const subject& of, check_log& log) {
  if (of.documents == nullptr) return log.absent("no documents were given");
  if (of.contract->metric_prefixes.empty())
    return log.absent("the contract has no metric_prefixes");
  const auto known = spoken_names(of);
  for (const auto& [name, place] : names_with(*of.documents, of.contract->metric_prefixes)) {
    log.looked();
    const bool is_ignored =
        std::any_of(of.contract->ignored.begin(), of.contract->ignored.end(),
                    [name = name](const model::allowance& a) { return fits(a.pattern, name); });
    if (is_ignored || known.count(std::string(name)) != 0) continue;
    log.find(severity::error, "R26", name,
             fmt::format("{} is documented, and neither promised nor published", name),
             place_of(place->file, place->line));
  }
}

}  // namespace assay::guard
