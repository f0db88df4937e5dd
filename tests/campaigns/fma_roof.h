// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// How many f32 operations a second the cores do where nothing is loaded: no product is faster.
#pragma once

#include <cstdint>

namespace assay::campaigns {

/// Multiply-adds between registers on `threads` threads at once, two operations each; the best of a
/// few short runs. Built for the processor at hand.
double fma_flops_per_s(std::uint32_t threads);

}  // namespace assay::campaigns
