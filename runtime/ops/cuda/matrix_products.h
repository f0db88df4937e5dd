// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Products of weight matrices with many rows of activations, by cuBLAS.
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "runtime/ops/cuda/cublas_library.h"
#include "runtime/ops/cuda/decode_kernels.h"
#include "runtime/telemetry/result.h"

namespace assay::ops::cuda {

/// out (tokens, rows of a row of out_columns) = input (tokens, columns) · wᵀ, w (rows, columns).
/// The rows of a `second` matrix of the same shape follow those of `w`: in one call of cuBLAS where
/// it lies behind `w`, else in two.
struct product_arguments {
  const void* w = nullptr;
  const void* second = nullptr;  ///< null where there is one matrix
  const void* input = nullptr;
  void* out = nullptr;
  std::uint32_t tokens = 0;
  std::uint32_t rows = 0;
  std::uint32_t columns = 0;
  std::uint32_t out_columns = 0;
};

/// Whether the first row of `next` lies behind the last of `w` (rows, columns): then both are one
/// matrix, and one larger product.
bool is_followed(element type, const void* w, std::uint32_t rows, std::uint32_t columns,
                 const void* next);

/// The calls of cuBLAS that a product takes: one, or two where the second matrix lies elsewhere.
std::vector<product_arguments> calls_of(element type, const product_arguments& a);

/// One handle of cuBLAS on one stream. Sums are f32 throughout, also where cuBLAS splits a sum.
/// Errors: unavailable, where the library or a product cannot be had; out_of_memory.
/// Ownership: the handle; stream and workspace are the caller's and outlive it. Threads: one.
class matrix_products {
 public:
  /// What cuBLAS recommends for Hopper; with a workspace given it allocates none of its own.
  static constexpr std::uint64_t workspace_bytes = std::uint64_t{32} << 20;

  static result<matrix_products> create(cudaStream_t stream, void* workspace);
  ~matrix_products();
  matrix_products(matrix_products&& other) noexcept;
  matrix_products(const matrix_products&) = delete;
  matrix_products& operator=(const matrix_products&) = delete;

  /// Enqueues products whose result is of the element, and returns.
  result<void> multiply(element type, const product_arguments& a);
  /// Enqueues a product that is added to what `out` holds, in f32 whatever the element; one matrix.
  result<void> multiply_add(element type, const product_arguments& a);

  /// Kernels that one call of cuBLAS enqueues for a product of one matrix: counted among the nodes
  /// of a capture of the same call, which runs nothing. Remembered a shape.
  /// Errors: CUDA's, cuBLAS's.
  result<std::uint32_t> kernels_of(element type, const product_arguments& a, bool is_added);

  int version() const { return version_; }
  /// Products that cuBLAS has been given.
  std::uint64_t calls() const { return calls_; }

 private:
  matrix_products() = default;
  /// Tokens, rows, columns, columns of a row of `out`, and whether it is added.
  using product_shape = std::array<std::uint32_t, 5>;
  struct counted_shape {
    product_shape shape{};
    std::uint32_t kernels = 0;
  };

  result<void> open(cudaStream_t stream, void* workspace);
  result<void> call(element type, const product_arguments& a, bool is_added);
  result<std::uint32_t> count_kernels(element type, const product_arguments& a, bool is_added);

  const cublas_library* library_ = nullptr;
  cublasHandle_t handle_ = nullptr;
  cudaStream_t stream_ = nullptr;
  int version_ = 0;
  std::uint64_t calls_ = 0;
  std::vector<counted_shape> counted_;  // of the latest passes, few
};

}  // namespace assay::ops::cuda
