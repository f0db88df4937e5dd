// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What a wrong figure most likely is: the right one in another unit, or counted more than once.
#pragma once

#include <string>

namespace assay::audit {

/// A quotient counts as a factor within this relative distance.
inline constexpr double factor_tolerance = 0.01;

/// Names the factor that turns `observed` into `claimed`, such as "x 1000: us reported as ns, or
/// the like"; empty where none of the known ones is near.
std::string nearest_factor(double claimed, double observed);

}  // namespace assay::audit
