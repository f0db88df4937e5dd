// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/ops/cuda/matrix_products.h"

#include <cstddef>

#include "runtime/telemetry/check.h"

namespace assay::ops::cuda {
namespace {

cudaDataType data_type(element type) {
  switch (type) {
    case element::bf16:
      return CUDA_R_16BF;
    case element::f16:
      return CUDA_R_16F;
    case element::f32:
      return CUDA_R_32F;
  }
  return CUDA_R_32F;
}

}  // namespace

bool is_followed(element type, const void* w, std::uint32_t rows, std::uint32_t columns,
                 const void* next) {
  const std::size_t bytes = std::size_t{rows} * columns * bytes_of(type);
  return next != nullptr && static_cast<const std::byte*>(w) + bytes == next;
}

result<matrix_products> matrix_products::create(cudaStream_t stream, void* workspace) {
  matrix_products made;
  ASSAY_TRY(made.open(stream, workspace));
  return made;
}

result<void> matrix_products::open(cudaStream_t stream, void* workspace) {
  ASSAY_TRY_ASSIGN(library_, cublas_library::load());
  ASSAY_TRY(library_->attempt(library_->create(&handle_), "cublasCreate"));
  // The stream first: setting it drops the workspace.
  ASSAY_TRY(library_->attempt(library_->set_stream(handle_, stream), "cublasSetStream"));
  ASSAY_TRY(library_->attempt(library_->set_workspace(handle_, workspace, workspace_bytes),
                              "cublasSetWorkspace"));
  const auto mode = static_cast<cublasMath_t>(CUBLAS_DEFAULT_MATH |
                                              CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION);
  ASSAY_TRY(library_->attempt(library_->set_math_mode(handle_, mode), "cublasSetMathMode"));
  return library_->attempt(library_->get_version(handle_, &version_), "cublasGetVersion");
}

matrix_products::~matrix_products() {
  if (handle_ != nullptr) (void)library_->destroy(handle_);
}

matrix_products::matrix_products(matrix_products&& other) noexcept
    : library_(other.library_),
      handle_(std::exchange(other.handle_, nullptr)),
      version_(other.version_),
      calls_(other.calls_) {}

result<void> matrix_products::multiply(element type, const product_arguments& a) {
  if (a.second == nullptr) return multiply_one(type, a);
  product_arguments both = a;
  both.second = nullptr;
  if (is_followed(type, a.w, a.rows, a.columns, a.second)) {
    both.rows = 2 * a.rows;
    return multiply_one(type, both);
  }
  // Not as a batch with the stride between them: cuBLAS takes any stride, and faults on some.
  ASSAY_TRY(multiply_one(type, both));
  both.w = a.second;
  both.out = static_cast<std::byte*>(a.out) + std::size_t{a.rows} * bytes_of(type);
  return multiply_one(type, both);
}

// cuBLAS counts columns first: what is (tokens, rows) here is (rows, tokens) there, and the weights
// are the transposed factor.
result<void> matrix_products::multiply_one(element type, const product_arguments& a) {
  const float one = 1.0F;
  const float none = 0.0F;
  ++calls_;
  const cudaDataType of = data_type(type);
  const int columns = static_cast<int>(a.columns);
  return library_->attempt(
      library_->gemm(handle_, CUBLAS_OP_T, CUBLAS_OP_N, static_cast<int>(a.rows),
                     static_cast<int>(a.tokens), columns, &one, a.w, of, columns, a.input, of,
                     columns, &none, a.out, of, static_cast<int>(a.out_columns), CUBLAS_COMPUTE_32F,
                     CUBLAS_GEMM_DEFAULT),
      "cublasGemmEx");
}

result<void> matrix_products::multiply_add(element type, const product_arguments& a) {
  ASSAY_CHECK(a.second == nullptr, "a product that is added takes one matrix");
  const float one = 1.0F;
  ++calls_;
  const cudaDataType of = data_type(type);
  const int columns = static_cast<int>(a.columns);
  return library_->attempt(
      library_->gemm(handle_, CUBLAS_OP_T, CUBLAS_OP_N, static_cast<int>(a.rows),
                     static_cast<int>(a.tokens), columns, &one, a.w, of, columns, a.input, of,
                     columns, &one, a.out, CUDA_R_32F, static_cast<int>(a.out_columns),
                     CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT),
      "cublasGemmEx");
}

}  // namespace assay::ops::cuda
