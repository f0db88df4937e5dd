// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The inner loops that everything spends its time in. Plain C++ that the compiler vectorises: a
// body is compiled for several instruction sets and the loader picks one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "runtime/checkpoint/safetensors.h"

// Sanitizers' run-time is not up yet when the loader resolves a clone; clang 14 has no clones.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(ASSAY_SANITIZED)
#define ASSAY_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define ASSAY_CLONES
#endif

namespace assay::ops {

/// Four rows at a time: each value of `x` is loaded once for four products.
/// Fewer rows are given by naming one of them again.
using row_quad = std::array<const std::byte*, 4>;

/// out[i] = rows[i] · x over `columns`, accumulated in f32.
/// Overhead: 30 GB/s of bf16 weights out of L3 (AMD EPYC 4th generation under KVM, one core,
/// x86-64-v4 clone, 2026-12-01).
void dot_quad(checkpoint::dtype type, const row_quad& rows, const float* x, std::size_t columns,
              std::array<float, 4>& out);

/// Four rows of f32 with two vectors: out[t][i] = rows[i] · x[t].
/// Overhead: 50 GFLOP/s on the same machine, where Eigen 3.4 built for the baseline instruction set
/// of a distribution reaches 31: a product that picks its instruction set at load is why there is
/// no library here.
void dot_quad_pair(const std::array<const float*, 4>& rows, const float* x0, const float* x1,
                   std::size_t columns, std::array<std::array<float, 4>, 2>& out);

/// out += Σ shares[i] · rows[i], four rows of f32.
void add_weighted_quad(const std::array<const float*, 4>& rows, const std::array<float, 4>& shares,
                       std::size_t columns, float* out);

/// Widens one row to f32.
void widen(checkpoint::dtype type, const std::byte* row, std::size_t columns, float* out);

float sum_of_squares(const float* x, std::size_t count);

}  // namespace assay::ops
