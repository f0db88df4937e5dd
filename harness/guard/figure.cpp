// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/guard/figure.h"

#include <cmath>

#include <fmt/format.h>

namespace assay::guard {
namespace {

constexpr int few_digits = 6;
constexpr int all_digits = 17;  // of a double

std::string with_digits(double value, int digits) {
  // From 2^53 on a double no longer tells one whole number from the next.
  if (value == std::trunc(value) && std::abs(value) < 9007199254740992.0)
    return fmt::format("{:.0f}", value == 0 ? 0.0 : value);
  return std::isnan(value) ? "NaN" : fmt::format("{:.{}g}", value, digits);
}

}  // namespace

std::string figure(double value) {
  return with_digits(value, few_digits);
}

figure_pair figures(double one, double other) {
  figure_pair made;
  for (int digits = few_digits; digits <= all_digits; ++digits) {
    made = {with_digits(one, digits), with_digits(other, digits)};
    if (made.one != made.other) break;
  }
  return made;
}

}  // namespace assay::guard
