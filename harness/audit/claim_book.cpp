// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/audit/claim_book.h"

#include <algorithm>

namespace assay::audit {
namespace {

bool is_written(const assay_reading& reading) {
  return reading.state == ASSAY_MEASURED || reading.state == ASSAY_ZERO;
}

}  // namespace

claim_book::claim_book(const std::vector<counter_spec>* specs)
    : specs_(specs), latest_(specs->size()), base_(specs->size(), 0) {}

bool claim_book::take_snapshot(std::span<const assay_reading> readings) {
  if (readings.size() != latest_.size()) return false;
  std::copy(readings.begin(), readings.end(), latest_.begin());
  return true;
}

void claim_book::begin_request() {
  for (std::size_t row = 0; row < base_.size(); ++row)
    if ((*specs_)[row].reset == telemetry::reset_scope::per_request) base_[row] = 0;
}

void claim_book::advance() {
  for (std::size_t row = 0; row < base_.size(); ++row)
    base_[row] = is_written(latest_[row]) ? latest_[row].bits : 0;
}

claim_value claim_book::since_baseline(std::size_t row,
                                       const std::vector<std::int64_t>& baseline) const {
  return since(row, row < baseline.size() ? baseline[row] : 0);
}

claim_value claim_book::since(std::size_t row, std::int64_t base_bits) const {
  const counter_spec& spec = (*specs_)[row];
  const assay_reading& now = latest_[row];
  claim_value claim;
  claim.is_written = is_written(now);
  claim.has_value = claim.is_written || now.state == ASSAY_NEVER_WRITTEN;
  const std::int64_t bits = claim.is_written ? now.bits : 0;
  if (spec.is_real())
    claim.value = number::of_bits(bits, true);
  else if (spec.is_cumulative())
    claim.value = number::of(saturating_sub(bits, claim.is_written ? base_bits : 0));
  else
    claim.value = number::of(bits);
  return claim;
}

}  // namespace assay::audit
