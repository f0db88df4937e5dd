// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// R27: a variable that is documented and not read, or read and not documented.
#include <fmt/format.h>

#include "harness/guard/checks.h"
#include "harness/guard/pattern.h"

namespace assay::guard {
namespace {

using model::severity;

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

}  // namespace

void check_variable_unread(const subject& of, check_log& log) {
  if (!can_compare_variables(of, log)) return;
  for (const auto& [name, place] : names_with(*of.documents, of.contract->variable_prefixes)) {
    log.looked();
    const auto* excuse = allowed(name, *of.contract);
    const bool is_read = of.source->find(name) != nullptr;
    if (is_read || excuse != nullptr) continue;
    log.find(severity::error, "R27", name,
             fmt::format("{} is documented, and no string of the source is its name", name),
             place_of(place->file, place->line));
  }
  // What was allowed to be amiss and no longer is would hide the next one.
  for (const auto& each : of.contract->allowed_variables) {
    log.looked();
    if (of.source->find(each.pattern) == nullptr || of.documents->find(each.pattern) == nullptr)
      continue;
    log.find(severity::error, "R27", each.pattern,
             fmt::format("{} is allowed to be amiss, and is both documented and a name in the "
                         "source: take the allowance out",
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
             fmt::format("{} stands in the source as a name of its own (a string, or a shell's "
                         "variable), and no document speaks of it",
                         name),
             place_of(place->file, place->line));
  }
}

}  // namespace assay::guard
