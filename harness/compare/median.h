// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The median, as every number of a comparison takes it.
#pragma once

#include <vector>

namespace assay::compare {

/// Of at least one value; of an even count the mean of the middle two. Pure.
double median_of(std::vector<double> values);

}  // namespace assay::compare
