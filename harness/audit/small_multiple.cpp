// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/audit/small_multiple.h"

#include <array>
#include <cmath>

#include <fmt/format.h>

namespace assay::audit {
namespace {

struct multiple {
  double value;
  const char* meaning_up;    ///< claimed = observed x value
  const char* meaning_down;  ///< claimed = observed / value
};

constexpr std::array<multiple, 3> known{{
    {2, "counted twice", "every second one counted"},
    {3, "counted three times", "every third one counted"},
    {4, "the element size counted twice", "elements of 4 bytes counted for bytes"},
}};

}  // namespace

std::optional<model::explanation> small_multiple(double claimed, double observed) {
  const double quotient = claimed / observed;
  if (!(quotient > 0.0) || !std::isfinite(quotient)) return std::nullopt;
  for (const multiple& m : known) {
    const double up = std::abs(quotient / m.value - 1.0);
    const double down = std::abs(quotient * m.value - 1.0);
    if (up <= factor_tolerance)
      return model::explanation{{}, {}, fmt::format("x {:.0f}: {}", m.value, m.meaning_up), up};
    if (down <= factor_tolerance)
      return model::explanation{{}, {}, fmt::format("/ {:.0f}: {}", m.value, m.meaning_down), down};
  }
  return std::nullopt;
}

}  // namespace assay::audit
