// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The smallest change that a row's own noise would have let through to a finding.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace assay::compare {

/// The rule that a change has to pass: n pairs whose one-sided bound, at this level, lies beyond
/// the margin.
struct rule_of_stage {
  std::size_t pairs = 0;
  double level = 0.0;
};

/// The shift of ln(head/base) that passes all `stages` with a probability of 80 %, each on fresh
/// pairs as noisy as `differences`; `margin` is ln(1 + δ). None where a stage has too few pairs to
/// reject at its level, or there are fewer than `fewest_differences` to learn the noise from.
///
/// Why no search: a shift moves the bound by as much as itself. A stage passes where shift +
/// bound(noise) > margin, so the shift looked for is a quantile of margin − bound(noise) over
/// resampled noise. The noise is what is left when the estimate is taken off, widened by
/// √(n/(n−1)), for which the estimate has followed it.
std::optional<double> visible_shift(const std::vector<double>& differences, double margin,
                                    const std::vector<rule_of_stage>& stages, std::uint64_t seed);

inline constexpr std::size_t fewest_differences = 6;

}  // namespace assay::compare
