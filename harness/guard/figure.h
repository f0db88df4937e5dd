// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Numbers of findings as a reader takes them in: 0.2, and not 0.19999970000000006.
#pragma once

#include <string>

namespace assay::guard {

/// Whole numbers whole, others to six digits.
std::string figure(double value);

struct figure_pair {
  std::string one;
  std::string other;
};

/// Two that are compared: with as many digits as it takes to see that they differ. "1 is above 1"
/// would say nothing.
figure_pair figures(double one, double other);

}  // namespace assay::guard
