// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/audit/balance_fold.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "harness/audit/saturating.h"

namespace assay::audit {
namespace {

// Of one window: both sides, with what is subtracted on the other.
struct sides {
  bool is_known = true;  ///< every term has a number
  bool is_empty = true;  ///< nothing has been counted yet
  std::int64_t left = 0;
  std::int64_t right = 0;

  void add(int sign, std::int64_t value) {
    std::int64_t& side = sign > 0 ? left : right;
    side = saturating_add(side, value);
    is_empty = is_empty && value == 0;
  }
};

std::int64_t reading_of(const assay_reading& reading) {
  return reading.state == ASSAY_MEASURED ? reading.bits : 0;
}

}  // namespace

balance_fold::balance_fold(const std::vector<counter_spec>& specs) {
  for (const counter_spec& spec : specs)
    if (const auto equation = trace::parse_identity(spec.identity))
      add(*equation, spec.identity, specs);
}

void balance_fold::add(const trace::identity& equation, const std::string& words,
                       const std::vector<counter_spec>& specs) {
  for (const balance& known : balances_)
    if (known.equation == equation) return;
  balance_evidence made;
  made.words = words;
  bool has_level = false;
  bool has_other_start = false;
  for (const trace::identity_term& term : equation.terms) {
    const auto found = std::find_if(specs.begin(), specs.end(), [&](const counter_spec& spec) {
      return spec.name == term.counter;
    });
    // A quotient balances nothing, and nothing balances it.
    if (found == specs.end() || found->is_real()) return;
    made.rows.push_back(static_cast<std::size_t>(found - specs.begin()));
    has_level = has_level || !found->is_cumulative();
    has_other_start = has_other_start || found->reset != specs[made.rows.front()].reset;
  }
  balances_.push_back({equation, has_other_start && !has_level});
  findings_.push_back(std::move(made));
}

void balance_fold::close(const window_name& window, const claim_book& claims) {
  const bool is_pass =
      window.kind == ASSAY_WINDOW_PREFILL || window.kind == ASSAY_WINDOW_DECODE_STEP;
  for (std::size_t at = 0; at < balances_.size(); ++at) {
    const balance& one = balances_[at];
    balance_evidence& seen = findings_[at];
    if (one.equation.is_each_pass && !is_pass) continue;
    sides of;
    for (std::size_t term = 0; term < seen.rows.size(); ++term) {
      const claim_value gained = claims.since_advance(seen.rows[term]);
      of.is_known = of.is_known && gained.has_value;
      of.add(one.equation.terms[term].sign,
             one.is_of_gains ? gained.value.integer : reading_of(claims.latest(seen.rows[term])));
    }
    if (!of.is_known || of.is_empty) continue;
    of.add(one.equation.constant > 0 ? 1 : -1, std::abs(one.equation.constant));
    ++seen.evaluated;
    if (one.equation.is_at_most ? of.left <= of.right : of.left == of.right) continue;
    if (seen.broken++ > 0) continue;
    seen.first = window;
    seen.left = of.left;
    seen.right = of.right;
  }
}

}  // namespace assay::audit
