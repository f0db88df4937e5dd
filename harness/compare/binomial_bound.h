// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// How often a thing happens at most, or at least, given how often it was seen.
#pragma once

#include <cstdint>

namespace assay::compare {

/// Clopper–Pearson, one-sided: the rate p for which `seen` or fewer of `tried` would still have a
/// probability of 1 − confidence. 1 where all were seen. `seen` ≤ `tried`, `tried` ≥ 1.
double rate_at_most(std::uint64_t seen, std::uint64_t tried, double confidence);

/// The same from below; 0 where none was seen.
double rate_at_least(std::uint64_t seen, std::uint64_t tried, double confidence);

}  // namespace assay::compare
