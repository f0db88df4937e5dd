// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// A wrong figure that is the right one, counted more than once or less than always.
#pragma once

#include <optional>

#include "reports/model/audit_report.h"

namespace assay::audit {

/// A quotient counts as a factor within this relative distance.
inline constexpr double factor_tolerance = 0.01;

/// "x 2: counted twice"; nothing where the quotient is not near 2, 3 or 4, or one of their
/// reciprocals. Rule and name are left for the finding's own.
std::optional<model::explanation> small_multiple(double claimed, double observed);

}  // namespace assay::audit
