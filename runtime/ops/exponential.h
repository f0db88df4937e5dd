// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// e^x over vectors, and what is made of it.
#pragma once

#include <cstddef>

namespace assay::ops {

/// values[i] = e^(values[i] - shift).
/// Errors: within 3e-7 relative of e^x; below -87 the result is e^-87, above 88 it is e^88;
/// not finite becomes NaN.
void exponentials(float* values, std::size_t count, float shift);

/// gate[i] = silu(gate[i]) · up[i], where silu(z) = z / (1 + e^-z).
void silu_times(float* gate, const float* up, std::size_t count);

}  // namespace assay::ops
