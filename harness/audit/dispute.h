// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// A failure in figures on which an explanation can be tried.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "harness/audit/evidence.h"
#include "reports/model/audit_report.h"

namespace assay::audit {

/// What a counter said, and the interval in which the truth lies; both ends equal where exact.
struct dispute {
  const counter_evidence* counter = nullptr;
  bool is_exact = false;  ///< integers on both sides
  std::int64_t claimed_integer = 0;
  std::int64_t observed_integer = 0;
  double claimed = 0.0;
  double low = 0.0;
  double high = 0.0;
  std::uint64_t windows = 0;  ///< behind the figures
};

/// The counter of that name; null where the trace has none.
const counter_evidence* counter_named(const evidence& from, const std::string& name);

/// The dispute behind a finding of R02, R03, R04 or R05; nothing for other findings, where either
/// side is not above zero, or where the truth is only known to lie within a factor of 1.5.
std::optional<dispute> dispute_of(const evidence& from, const model::finding& finding);

/// The dispute behind a finding of R01. A time in another unit is as short as an enqueue, and only
/// an explanation that an enqueue would hit by chance alone may be tried on it.
std::optional<dispute> enqueue_dispute_of(const evidence& from, const model::finding& finding);

/// How far the claim is from the truth times the factor, relative; nothing where it is further than
/// the tolerance from all that the truth may be.
std::optional<double> distance_to(const dispute& open, double factor, double tolerance);

}  // namespace assay::audit
