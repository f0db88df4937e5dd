// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What the documents say that a metric is, against one another and against the contract.
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "harness/guard/checks.h"

namespace assay::guard {
namespace {

using first_claims = std::map<std::pair<std::string_view, claim_facet>, const document_claim*>;

using promise_map = std::unordered_map<std::string_view, const model::promised_metric*>;

void find(const document_claim& claim, const std::string& message, check_log& log) {
  log.find_first(model::severity::error, claim.facet == claim_facet::kind ? "R11" : "R10",
                 claim.name, message, place_of(claim.file, claim.line));
}

// A promise of no kind, or of no unit, promises nothing that a page could contradict.
std::string_view promised(const model::promised_metric& metric, claim_facet facet) {
  if (facet == claim_facet::unit) return metric.unit;
  return metric.kind == model::metric_kind::unknown ? std::string_view() : to_string(metric.kind);
}

void look_at(const document_claim& claim, const document_claim& first, const promise_map& promises,
             check_log& log) {
  log.looked();
  if (contradict(claim.facet, first.said, claim.said))
    return find(claim,
                fmt::format("{} is {} in {}, and {} here: one of the two pages is wrong",
                            claim.name, first.said, place_of(first.file, first.line), claim.said),
                log);
  const auto metric = promises.find(claim.name);
  if (metric == promises.end()) return;
  const std::string_view promise = promised(*metric->second, claim.facet);
  if (!promise.empty() && contradict(claim.facet, promise, claim.said))
    find(claim,
         fmt::format("{} is promised as {}, and documented as {}", claim.name, promise, claim.said),
         log);
}

}  // namespace

void check_documented_otherwise(const subject& of, check_log& log) {
  if (of.documents == nullptr) return log.absent("no documents were given");
  log.absent("no document says what kind or unit a metric has");
  promise_map promises;
  for (const auto& metric : of.contract->metrics) promises.emplace(metric.name, &metric);
  first_claims first;
  for (const document_claim& claim : of.documents->claims()) {
    const auto [known, is_new] = first.try_emplace({claim.name, claim.facet}, &claim);
    look_at(claim, *known->second, promises, log);
  }
}

}  // namespace assay::guard
