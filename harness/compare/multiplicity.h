// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Many rows are many chances to be wrong: one level for the whole table.
#pragma once

#include <vector>

namespace assay::compare {

/// Holm's step-down: p values adjusted for the whole family, in the order given, at most 1. Each
/// that is at most α is a finding; the chance of any false one is at most α, however the rows hang
/// together.
std::vector<double> holm_adjusted(const std::vector<double>& p_values);

}  // namespace assay::compare
