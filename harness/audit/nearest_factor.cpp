// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/audit/nearest_factor.h"

#include <array>
#include <cmath>

#include <fmt/format.h>

namespace assay::audit {
namespace {

struct factor {
  double value;
  const char* name;
  const char* meaning_up;    ///< claimed = observed x value
  const char* meaning_down;  ///< claimed = observed / value
};

// Nearest wins, so neighbours such as 1000 and 1024 are told apart by 2.4 %.
constexpr std::array<factor, 12> known{{
    {2, "2", "counted twice", "every second one counted"},
    {3, "3", "counted three times", "every third one counted"},
    {4, "4", "the element size counted twice", "elements of 4 bytes counted for bytes"},
    {8, "8", "bits counted for bytes", "elements of 8 bytes counted for bytes"},
    {1e3, "1000", "a unit 1000 times smaller", "a unit 1000 times larger, such as us for ns"},
    {1e6, "10^6", "a unit 10^6 times smaller", "a unit 10^6 times larger, such as ms for ns"},
    {1e9, "10^9", "a unit 10^9 times smaller", "a unit 10^9 times larger, such as s for ns"},
    {1024, "1024", "scaled up by Ki", "KiB for bytes"},
    {1048576, "2^20", "scaled up by Mi", "MiB for bytes"},
    {1073741824, "2^30", "scaled up by Gi", "GiB for bytes"},
    {1.048576, "2^20/10^6", "MB for MiB", "MiB for MB"},
    {1.073741824, "2^30/10^9", "GB for GiB", "GiB for GB"},
}};

}  // namespace

std::string nearest_factor(double claimed, double observed) {
  const double quotient = claimed / observed;
  if (!(quotient > 0.0) || !std::isfinite(quotient)) return {};
  double best = factor_tolerance;
  std::string words;
  for (const factor& f : known) {
    const double up = std::abs(quotient / f.value - 1.0);
    const double down = std::abs(quotient * f.value - 1.0);
    if (up <= best) {
      best = up;
      words = fmt::format("x {}: {}", f.name, f.meaning_up);
    }
    if (down <= best) {
      best = down;
      words = fmt::format("/ {}: {}", f.name, f.meaning_down);
    }
  }
  return words;
}

}  // namespace assay::audit
