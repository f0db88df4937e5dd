// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/audit/formula_fold.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include "probes/trace/formula.h"

namespace assay::audit {
namespace {

constexpr double ns_in_a_second = 1e9;

std::optional<std::vector<std::size_t>> rows_of(const std::vector<std::string>& names,
                                                const std::vector<counter_spec>& specs) {
  std::vector<std::size_t> rows;
  for (const std::string& name : names) {
    const auto found = std::find_if(specs.begin(), specs.end(),
                                    [&](const counter_spec& spec) { return spec.name == name; });
    if (found == specs.end()) return std::nullopt;
    rows.push_back(static_cast<std::size_t>(found - specs.begin()));
  }
  return rows;
}

bool is_number(const assay_reading& reading) {
  return reading.state == ASSAY_MEASURED || reading.state == ASSAY_ZERO;
}

bool is_any_written(const std::vector<std::size_t>& rows, const claim_book& claims) {
  return std::any_of(rows.begin(), rows.end(),
                     [&](std::size_t row) { return is_number(claims.latest(row)); });
}

// What was never written counts as nothing: a miss counter of a run without a miss.
std::optional<double> sum_of(const std::vector<std::size_t>& rows, const claim_book& claims,
                             const std::vector<counter_spec>& specs) {
  double sum = 0.0;
  for (const std::size_t row : rows) {
    const assay_reading& reading = claims.latest(row);
    if (reading.state == ASSAY_NEVER_WRITTEN) continue;
    if (!is_number(reading)) return std::nullopt;
    sum += number::of_bits(reading.bits, specs[row].is_real()).as_double();
  }
  return sum;
}

}  // namespace

formula_fold::formula_fold(const std::vector<counter_spec>& specs) : specs_(specs) {
  std::set<std::string> known;
  for (const counter_spec& spec : specs) {
    const auto formula = trace::parse_formula(spec.identity);
    if (!formula || !known.insert(spec.identity).second) continue;
    auto part = rows_of(formula->part, specs);
    auto whole = rows_of(formula->whole, specs);
    if (!part || !whole) continue;
    rows made{-1, std::move(*part), std::move(*whole)};
    formula_evidence seen;
    seen.words = spec.identity;
    seen.subject = spec.identity;
    seen.shape = formula_shape::partition;
    if (!formula->result.empty()) {
      const auto result = rows_of({formula->result}, specs);
      if (!result || !specs[result->front()].is_real()) continue;
      const counter_spec& quotient = specs[result->front()];
      made.result = seen.row = static_cast<int>(result->front());
      const bool is_ratio = quotient.unit == unit::ratio;
      seen.shape = is_ratio ? formula_shape::ratio : formula_shape::rate;
      seen.subject = quotient.name;
      if (!is_ratio && specs[made.whole.front()].unit == unit::ns) made.factor = ns_in_a_second;
    }
    seen.parts = made.part;
    seen.parts.insert(seen.parts.end(), made.whole.begin(), made.whole.end());
    rows_.push_back(std::move(made));
    findings_.push_back(std::move(seen));
  }
}

void formula_fold::close(const window_name& window, const claim_book& claims) {
  for (std::size_t at = 0; at < rows_.size(); ++at) {
    const rows& of = rows_[at];
    formula_evidence& seen = findings_[at];
    const auto part = sum_of(of.part, claims, specs_);
    const auto whole = sum_of(of.whole, claims, specs_);
    if (!part || !whole) continue;
    const bool is_partition = of.result < 0;
    const assay_reading* result =
        is_partition ? nullptr : &claims.latest(static_cast<std::size_t>(of.result));
    if (!is_partition && !is_number(*result)) continue;
    // Shares of which none was written yet are no partition of anything. Those that say 0 are: a
    // report of 0.00 in each row has a whole that none of its rows holds.
    if (is_partition && !is_any_written(of.part, claims)) continue;
    const double claimed = is_partition ? *part : number::of_bits(result->bits, true).real;
    const bool is_of_nothing = !is_partition && *whole == 0.0;
    const double again = is_partition ? 1.0 : is_of_nothing ? 0.0 : of.factor * *part / *whole;
    const double tolerance = is_partition ? partition_tolerance : formula_tolerance;
    ++seen.evaluated;
    if (!is_of_nothing && std::abs(claimed - again) <= tolerance * std::abs(again)) continue;
    if (is_of_nothing) ++seen.of_nothing;
    if (seen.broken++ > 0) continue;
    seen.first = window;
    seen.claimed = claimed;
    seen.again = again;
  }
}

}  // namespace assay::audit
