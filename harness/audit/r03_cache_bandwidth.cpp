// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/audit/r03_cache_bandwidth.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "harness/audit/mismatch.h"
#include "harness/audit/wording.h"

namespace assay::audit {
namespace {

using telemetry::counter_kind;
using telemetry::link_class;

// Two measurements of one memory differ by less.
constexpr double memory_margin = 1.03;

double limit_of(const ceiling& c) {
  const double soft = c.soft_bytes_per_s * memory_margin;
  if (c.hard_bytes_per_s > 0.0 && soft > 0.0) return std::min(soft, c.hard_bytes_per_s);
  return std::max(soft, c.hard_bytes_per_s);
}

// A set as large as the one that the ceiling was measured on gets no more help from a cache than
// that one got; of a smaller set, or where nobody says, a cache may have served it.
bool is_beyond_caches(std::int64_t set_bytes, const ceiling& c) {
  return c.working_set_bytes > 0 && set_bytes >= c.working_set_bytes;
}

model::finding describe(const counter_spec& spec, double rate, const ceiling& c,
                        std::int64_t set_bytes, const std::string& where) {
  const bool is_certain = is_beyond_caches(set_bytes, c);
  model::finding found =
      finding_of("R03", "CACHE_BANDWIDTH",
                 is_certain ? model::severity::error : model::severity::warning, spec.name);
  found.message = fmt::format(
      "{} reads {} of {}, which gives {}; {}.", spec.name, rate_words(rate),
      link_name(spec.pairs_with.link), rate_words(limit_of(c)),
      is_certain ? fmt::format("{} bytes a window are no less than the {} that it was measured on",
                               set_bytes, c.working_set_bytes)
                 : "a cache may have served it: the rate is none of memory");
  found.claimed = quantity_of(number::of_real(rate));
  found.observed = quantity_of(number::of_real(limit_of(c)));
  found.unit = to_string(unit::bytes_per_s);
  found.likely_cause = is_certain ? "time that does not cover the reading, or bytes counted twice"
                                  : "a working set that fits a cache";
  found.where = where;
  found.window_count = 1;
  return found;
}

void judge_duration(const evidence& from, const counter_evidence& counter, rule_outcome& out) {
  const int paired = counter.spec.paired_row;
  const ceiling c = from.ceilings.of(counter.spec.pairs_with.link);
  if (paired < 0 || limit_of(c) == 0.0 || !counter.was_measured) return;
  const counter_evidence& bytes = from.counters[static_cast<std::size_t>(paired)];
  // Wrong bytes are their own finding; they say nothing of this counter's time.
  if (!is_judgeable(bytes) || class_of(bytes) != mismatch_class::none) return;
  for (int kind = 0; kind < window_kinds; ++kind) {
    const auto at = static_cast<std::size_t>(kind);
    const std::int64_t ns = counter.claimed_by_kind[at];
    const std::int64_t read = bytes.claimed_by_kind[at];
    if (ns <= 0 || read <= 0) continue;
    ++out.evaluated;
    const double rate = static_cast<double>(read) * 1e9 / static_cast<double>(ns);
    if (rate <= limit_of(c)) continue;
    const auto windows =
        static_cast<std::int64_t>(std::max<std::uint64_t>(from.by_kind[at].windows, 1));
    out.findings.push_back(
        describe(counter.spec, rate, c, read / windows, to_string(window_name{kind, 0})));
    return;
  }
}

}  // namespace

bool is_cached(link_class link) {
  return link == link_class::host_read || link == link_class::device_read ||
         link == link_class::device_copy;
}

bool exceeds_memory(const counter_evidence& counter, const ceiling_book& ceilings) {
  if (counter.spec.unit != unit::bytes_per_s || !counter.was_measured) return false;
  if (!is_cached(counter.spec.pairs_with.link)) return false;
  const double limit = limit_of(ceilings.of(counter.spec.pairs_with.link));
  return limit > 0.0 && counter.claimed.as_double() > limit;
}

rule_outcome cache_bandwidth(const evidence& from, void_map&) {
  rule_outcome out;
  for (const counter_evidence& counter : from.counters) {
    if (!is_cached(counter.spec.pairs_with.link) || !is_judgeable(counter)) continue;
    if (counter.spec.kind == counter_kind::duration) judge_duration(from, counter, out);
    if (counter.spec.unit != unit::bytes_per_s || !counter.was_measured) continue;
    const ceiling c = from.ceilings.of(counter.spec.pairs_with.link);
    if (limit_of(c) == 0.0) continue;
    ++out.evaluated;
    if (exceeds_memory(counter, from.ceilings))
      out.findings.push_back(describe(counter.spec, counter.claimed.as_double(), c, 0, {}));
  }
  return out;
}

}  // namespace assay::audit
