// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Names in documents and source: what is documented is there, what is there is documented.
#include <algorithm>
#include <map>
#include <unordered_set>

#include <fmt/format.h>

#include "harness/guard/checks.h"
#include "harness/guard/pattern.h"
#include "harness/guard/unit_words.h"

namespace assay::guard {
namespace {

using model::severity;

bool begins(std::string_view name, const std::vector<std::string>& prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](const std::string& prefix) { return name.starts_with(prefix); });
}

// "FOO_*" and "FOO_" speak of a family; no program reads or writes them.
bool is_a_family(std::string_view name) {
  return name.find('*') != std::string_view::npos || name.ends_with('_') || name.ends_with(':');
}

using sorted_names = std::map<std::string_view, const name_place*>;

// Names of a book that begin with one of the prefixes, in an order that two runs share.
sorted_names names_with(const name_book& book, const std::vector<std::string>& prefixes) {
  sorted_names all;
  for (const auto& [name, place] : book.names())
    if (begins(name, prefixes) && !is_a_family(name)) all.emplace(name, &place);
  return all;
}

const model::allowance* allowed(std::string_view name, const model::guard_contract& contract) {
  for (const auto& each : contract.allowed_variables)
    if (fits(each.pattern, name)) return &each;
  return nullptr;
}

bool can_compare_variables(const subject& of, check_log& log) {
  if (of.contract->variable_prefixes.empty())
    log.absent("the contract has no variable_prefixes");
  else if (of.documents == nullptr)
    log.absent("no documents were given");
  else if (of.source == nullptr)
    log.absent("no source was given");
  else
    return true;
  return false;
}

// Every name that a metric may be spoken of by.
std::unordered_set<std::string> spoken_names(const subject& of) {
  std::unordered_set<std::string> names;
  const auto add = [&](std::string_view name) {
    names.emplace(name);
    names.emplace(without_suffix(name));
  };
  for (const auto& metric : of.contract->metrics) {
    add(metric.name);
    for (const std::string_view suffix : {"_bucket", "_sum", "_count", "_total", "_created"})
      names.insert(metric.name + std::string(suffix));
  }
  for (const auto& snapshot : of.snapshots)
    for (const auto& sample : snapshot.from().samples) add(sample.name);
  return names;
}

}  // namespace

void check_undocumented(const subject& of, check_log& log) {
  if (of.documents == nullptr) return log.absent("no documents were given");
  for (const auto& metric : of.contract->metrics) {
    log.looked();
    if (of.documents->find_metric(metric.name) != nullptr) continue;
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

void check_no_writer(const subject& of, check_log& log) {
  if (of.source == nullptr) return log.absent("no source was given");
  for (const auto& metric : of.contract->metrics) {
    log.looked();
    if (of.source->find_metric(metric.name) != nullptr) continue;
    log.find(metric.is_optional ? severity::warning : severity::error, "R25", metric.name,
             fmt::format("{} is promised, and no string of the source is its name", metric.name),
             place_of(of.contract->source, metric.line));
  }
}

void check_variable_unread(const subject& of, check_log& log) {
  if (!can_compare_variables(of, log)) return;
  for (const auto& [name, place] : names_with(*of.documents, of.contract->variable_prefixes)) {
    log.looked();
    const auto* excuse = allowed(name, *of.contract);
    const bool is_read = of.source->find(name) != nullptr;
    if (is_read || excuse != nullptr) continue;
    log.find(severity::error, "R27", name,
             fmt::format("{} is documented, and nothing reads it", name),
             place_of(place->file, place->line));
  }
  // What was allowed to be amiss and no longer is would hide the next one.
  for (const auto& each : of.contract->allowed_variables) {
    log.looked();
    if (of.source->find(each.pattern) == nullptr || of.documents->find(each.pattern) == nullptr)
      continue;
    log.find(severity::error, "R27", each.pattern,
             fmt::format("{} is allowed to be amiss, and is both documented and read: take the "
                         "allowance out",
                         each.pattern),
             place_of(of.contract->source, each.line));
  }
}

void check_variable_undocumented(const subject& of, check_log& log) {
  if (!can_compare_variables(of, log)) return;
  for (const auto& [name, place] : names_with(*of.source, of.contract->variable_prefixes)) {
    log.looked();
    if (of.documents->find(name) != nullptr || allowed(name, *of.contract) != nullptr) continue;
    log.find(severity::error, "R27", name,
             fmt::format("{} is read, and no document speaks of it", name),
             place_of(place->file, place->line));
  }
}

}  // namespace assay::guard
