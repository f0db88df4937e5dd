// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/audit/evidence.h"

namespace assay::audit {

std::uint64_t reference_evidence::compared() const {
  if (relation == ASSAY_EQUAL) return exact.compared;
  if (relation == ASSAY_NEAR) return near.compared();
  return bound.compared;
}

bool reference_evidence::holds() const {
  if (compared() == 0) return false;
  if (relation == ASSAY_EQUAL) return exact.mismatches() == 0;
  if (relation == ASSAY_NEAR) return near.outcome() == time_outcome::holds;
  return !bound.is_broken();
}

bool reference_evidence::is_below_slack() const {
  if (relation != ASSAY_NEAR || near.compared() == 0) return false;
  const double slack = near.slack_per_window() * static_cast<double>(near.compared());
  return slack > slack_max_ratio * near.high();
}

}  // namespace assay::audit
