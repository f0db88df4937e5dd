// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Of what a row's number is, in the words that a comparison prints.
#pragma once

#include <string_view>

namespace assay::ingest {

inline constexpr std::string_view best_of_samples = "best of the samples";
inline constexpr std::string_view least_of_summary = "least of a summary";
inline constexpr std::string_view median_of_summary = "median of a summary";
inline constexpr std::string_view mean_of_summary = "mean of a summary";
inline constexpr std::string_view repetitions_themselves = "repetitions";
inline constexpr std::string_view each_run = "each run";

}  // namespace assay::ingest
