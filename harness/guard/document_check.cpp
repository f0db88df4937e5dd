// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What the documents say that a metric is, against one another and against the contract.
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "harness/guard/checks.h"

namespace assay::guard {
namespace {

using first_claims = std::map<std::pair<std::string_view, claim_facet>, const document_claim*>;

void find(const document_claim& claim, const std::string& message, check_log& log) {
  log.find_first(model::severity::error, claim.facet == claim_facet::kind ? "R11" : "R10",
                 claim.name, message, place_of(claim.file, claim.line));
}

const model::promised_metric* promise_of(std::string_view name,
                                         const model::guard_contract& contract) {
  for (const auto& metric : contract.metrics)
    if (metric.name == name) return &metric;
  return nullptr;
}

// A promise of no kind, or of no unit, promises nothing that a page could contradict.
std::string_view promised(const model::promised_metric& metric, claim_facet facet) {
  if (facet == claim_facet::unit) return metric.unit;
  return metric.kind == model::metric_kind::unknown ? std::string_view() : to_string(metric.kind);
}

void look_at(const document_claim& claim, const document_claim& first,
             const model::guard_contract& contract, check_log& log) {
  log.looked();
  if (contradict(claim.facet, first.said, claim.said))
    return find(claim,
                fmt::format("{} is {} in {}, and {} here: one of the two pages is wrong",
                            claim.name, first.said, place_of(first.file, first.line), claim.said),
                log);
  const auto* metric = promise_of(claim.name, contract);
  if (metric == nullptr) return;
  const std::string_view promise = promised(*metric, claim.facet);
  if (!promise.empty() && contradict(claim.facet, promise, claim.said))
    find(claim,
         fmt::format("{} is promised as {}, and documented as {}", claim.name, promise, claim.said),
         log);
}

}  // namespace

void check_documented_otherwise(const subject& of, check_log& log) {
  if (of.documents == nullptr) return log.absent("no documents were given");
  log.absent("no document says what kind or unit a metric has");
  first_claims first;
  for (const document_claim& claim : of.documents->claims()) {
    const auto [known, is_new] = first.try_emplace({claim.name, claim.facet}, &claim);
    look_at(claim, *known->second, *of.contract, log);
  }
}

}  // namespace assay::guard
