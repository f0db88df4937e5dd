// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/audit/r02_impossible_bandwidth.h"

#include <fmt/format.h>

#include "harness/audit/mismatch.h"
#include "harness/audit/r03_cache_bandwidth.h"
#include "harness/audit/saturating.h"
#include "harness/audit/wording.h"

namespace assay::audit {
namespace {

using telemetry::counter_kind;
using telemetry::link_class;

bool has_ceiling(const ceiling& c) {
  return c.hard_bytes_per_s > 0.0 || c.soft_bytes_per_s > 0.0;
}

// Host memory that is not pinned reaches the same link through the driver's own staging, at a
// fraction of its rate. Its ceiling binds only where every byte came that way.
link_class link_of(const counter_spec& spec, const evidence& from) {
  if (spec.pairs_with.link != link_class::pcie) return spec.pairs_with.link;
  std::int64_t bytes = 0;
  std::int64_t pageable_bytes = 0;
  for (const int cell : cells_of(spec.claims)) {
    const cell_totals& seen = from.totals[static_cast<std::size_t>(cell)];
    bytes = saturating_add(bytes, seen.bytes);
    pageable_bytes = saturating_add(pageable_bytes, seen.pageable_bytes);
  }
  return bytes > 0 && pageable_bytes == bytes ? link_class::pcie_pageable : link_class::pcie;
}

bool is_above(double rate, const ceiling& c) {
  return (c.hard_bytes_per_s > 0.0 && rate > c.hard_bytes_per_s) ||
         (c.soft_bytes_per_s > 0.0 && rate > c.soft_bytes_per_s);
}

model::finding describe(const counter_spec& spec, double rate, link_class link, const ceiling& c,
                        const std::string& how, const std::string& where) {
  const bool is_hard = c.hard_bytes_per_s > 0.0 && rate > c.hard_bytes_per_s;
  model::finding found =
      finding_of("R02", "IMPOSSIBLE_BANDWIDTH",
                 is_hard ? model::severity::critical : model::severity::warning, spec.name);
  const double limit = is_hard ? c.hard_bytes_per_s : c.soft_bytes_per_s;
  found.message = fmt::format(
      "{} {} {} over {}, which {} {}.", spec.name, how, rate_words(rate), link_name(link),
      is_hard ? "cannot carry more than" : "was measured to carry", rate_words(limit));
  found.claimed = quantity_of(number::of_real(rate));
  found.observed = quantity_of(number::of_real(limit));
  found.unit = to_string(unit::bytes_per_s);
  found.likely_cause =
      link == link_class::pcie_pageable
          ? "memory taken for pinned, of which every byte was staged"
          : "time that does not cover the transfer, or bytes that did not cross the link";
  found.where = where;
  found.window_count = 1;
  return found;
}

void judge_duration(const evidence& from, const counter_evidence& counter, rule_outcome& out) {
  const int paired = counter.spec.paired_row;
  const link_class link = link_of(counter.spec, from);
  const ceiling c = from.ceilings.of(link);
  if (paired < 0 || !has_ceiling(c) || !counter.was_measured) return;
  const counter_evidence& bytes = from.counters[static_cast<std::size_t>(paired)];
  // Wrong bytes are their own finding; they say nothing of this counter's time.
  if (!is_judgeable(bytes) || class_of(bytes) != mismatch_class::none) return;
  for (int kind = 0; kind < window_kinds; ++kind) {
    const auto at = static_cast<std::size_t>(kind);
    const std::int64_t ns = counter.claimed_by_kind[at];
    const std::int64_t moved = bytes.claimed_by_kind[at];
    if (ns <= 0 || moved <= 0) continue;
    ++out.evaluated;
    const double rate = static_cast<double>(moved) * 1e9 / static_cast<double>(ns);
    if (!is_above(rate, c)) continue;
    const std::string how =
        fmt::format("with the {} of {} makes", value_words(number::of(moved), bytes.spec.unit),
                    bytes.spec.name);
    out.findings.push_back(
        describe(counter.spec, rate, link, c, how, to_string(window_name{kind, 0})));
    return;
  }
}

}  // namespace

bool exceeds_ceiling(const counter_evidence& counter, const evidence& from) {
  return counter.spec.unit == unit::bytes_per_s && counter.was_measured &&
         !is_cached(counter.spec.pairs_with.link) &&
         is_above(counter.claimed.as_double(), from.ceilings.of(link_of(counter.spec, from)));
}

rule_outcome impossible_bandwidth(const evidence& from, void_map&) {
  rule_outcome out;
  for (const counter_evidence& counter : from.counters) {
    const link_class named = counter.spec.pairs_with.link;
    if (named == link_class::none || is_cached(named) || !is_judgeable(counter)) continue;
    if (counter.spec.kind == counter_kind::duration) judge_duration(from, counter, out);
    if (counter.spec.unit != unit::bytes_per_s || !counter.was_measured) continue;
    const link_class link = link_of(counter.spec, from);
    const ceiling c = from.ceilings.of(link);
    if (!has_ceiling(c)) continue;
    ++out.evaluated;
    if (exceeds_ceiling(counter, from))
      out.findings.push_back(
          describe(counter.spec, counter.claimed.as_double(), link, c, "claims", std::string()));
  }
  return out;
}

}  // namespace assay::audit
