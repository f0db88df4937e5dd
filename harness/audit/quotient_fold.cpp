// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/audit/quotient_fold.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

#include "probes/trace/identity.h"

namespace assay::audit {
namespace {

std::optional<std::size_t> row_of(const std::vector<counter_spec>& specs, const std::string& name) {
  const auto found = std::find_if(specs.begin(), specs.end(),
                                  [&](const counter_spec& spec) { return spec.name == name; });
  if (found == specs.end()) return std::nullopt;
  return static_cast<std::size_t>(found - specs.begin());
}

bool is_measured(const assay_reading& reading) {
  return reading.state == ASSAY_MEASURED || reading.state == ASSAY_ZERO;
}

}  // namespace

quotient_fold::quotient_fold(const std::vector<counter_spec>& specs) {
  for (const counter_spec& spec : specs) {
    const auto parsed = trace::parse_quotient(spec.identity);
    if (!parsed || parsed->ratio != spec.name || !spec.is_real()) continue;
    const auto ratio = row_of(specs, parsed->ratio);
    const auto part = row_of(specs, parsed->part);
    const auto whole = row_of(specs, parsed->whole);
    if (!ratio || !part || !whole || specs[*part].is_real() || specs[*whole].is_real()) continue;
    quotient_evidence made;
    made.words = spec.identity;
    made.ratio_row = *ratio;
    made.part_row = *part;
    made.whole_row = *whole;
    findings_.push_back(made);
  }
}

void quotient_fold::close(const window_name& window, const claim_book& claims) {
  for (quotient_evidence& each : findings_) {
    const assay_reading& ratio = claims.latest(each.ratio_row);
    const assay_reading& part = claims.latest(each.part_row);
    const assay_reading& whole = claims.latest(each.whole_row);
    if (!is_measured(ratio) || !is_measured(part) || !is_measured(whole) || whole.bits == 0)
      continue;
    ++each.evaluated;
    const double claimed = std::bit_cast<double>(ratio.bits);
    const double recomputed = static_cast<double>(part.bits) / static_cast<double>(whole.bits);
    if (std::abs(claimed - recomputed) <= quotient_tolerance * std::abs(recomputed)) continue;
    if (each.broken++ > 0) continue;
    each.first = window;
    each.claimed = claimed;
    each.recomputed = recomputed;
  }
}

}  // namespace assay::audit
