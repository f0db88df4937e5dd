// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Loops over one vector. Plain C++ that the compiler vectorises: a body is compiled for several
// instruction sets and the loader picks one.
#pragma once

#include <cstddef>

#include "runtime/checkpoint/safetensors.h"

// Sanitizers' run-time is not up yet when the loader resolves a clone; clang 14 has no clones.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(ASSAY_SANITIZED)
#define ASSAY_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define ASSAY_CLONES
#endif

namespace assay::ops {

/// Widens one row to f32.
void widen(checkpoint::dtype type, const std::byte* row, std::size_t columns, float* out);

float sum_of_squares(const float* x, std::size_t count);

float sum_of(const float* x, std::size_t count);

/// The largest of `least` and all of `x`; what is not a number is passed over.
float largest_of(const float* x, std::size_t count, float least);

}  // namespace assay::ops
