// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/ops/cuda/matrix_products.h"

#include <cstddef>

#include "runtime/device/cuda/cuda_try.h"
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
  stream_ = stream;
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
      stream_(other.stream_),
      version_(other.version_),
      calls_(other.calls_),
      counted_(std::move(other.counted_)) {}

std::vector<product_arguments> calls_of(element type, const product_arguments& a) {
  if (a.second == nullptr) return {a};
  product_arguments one = a;
  one.second = nullptr;
  if (is_followed(type, a.w, a.rows, a.columns, a.second)) {
    one.rows = 2 * a.rows;
    return {one};
  }
  // Not as a batch with the stride between them: cuBLAS takes any stride, and faults on some.
  product_arguments other = one;
  other.w = a.second;
  other.out = static_cast<std::byte*>(a.out) + std::size_t{a.rows} * bytes_of(type);
  return {one, other};
}

result<void> matrix_products::multiply(element type, const product_arguments& a) {
  for (const product_arguments& one : calls_of(type, a)) {
    ++calls_;
    ASSAY_TRY(call(type, one, false));
  }
  return {};
}

result<void> matrix_products::multiply_add(element type, const product_arguments& a) {
  ASSAY_CHECK(a.second == nullptr, "a product that is added takes one matrix");
  ++calls_;
  return call(type, a, true);
}

// cuBLAS counts columns first: what is (tokens, rows) here is (rows, tokens) there, and the weights
// are the transposed factor.
result<void> matrix_products::call(element type, const product_arguments& a, bool is_added) {
  const float one = 1.0F;
  const float kept = is_added ? 1.0F : 0.0F;
  const cudaDataType of = data_type(type);
  const int columns = static_cast<int>(a.columns);
  return library_->attempt(
      library_->gemm(handle_, CUBLAS_OP_T, CUBLAS_OP_N, static_cast<int>(a.rows),
                     static_cast<int>(a.tokens), columns, &one, a.w, of, columns, a.input, of,
                     columns, &kept, a.out, is_added ? CUDA_R_32F : of,
                     static_cast<int>(a.out_columns), CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT),
      "cublasGemmEx");
}

result<std::uint32_t> matrix_products::kernels_of(element type, const product_arguments& a,
                                                  bool is_added) {
  const product_shape shape{a.tokens, a.rows, a.columns, a.out_columns, is_added ? 1U : 0U};
  for (const counted_shape& known : counted_)
    if (known.shape == shape) return known.kernels;
  ASSAY_TRY_ASSIGN(const std::uint32_t kernels, count_kernels(type, a, is_added));
  // A prompt of another length brings a handful of shapes; those of long ago may be counted anew.
  constexpr std::size_t most_shapes = 64;
  if (counted_.size() == most_shapes) counted_.clear();
  counted_.push_back({shape, kernels});
  return kernels;
}

result<std::uint32_t> matrix_products::count_kernels(element type, const product_arguments& a,
                                                     bool is_added) {
  using device::cuda_try;
  // Relaxed: another thread of the process may allocate meanwhile.
  ASSAY_CUDA_TRY(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeRelaxed));
  const result<void> called = call(type, a, is_added);
  cudaGraph_t graph = nullptr;
  // The capture ends in any case: a stream left capturing refuses everything else.
  const cudaError_t ended = cudaStreamEndCapture(stream_, &graph);
  const auto counted = [&]() -> result<std::uint32_t> {
    ASSAY_TRY(called);
    ASSAY_TRY(cuda_try(ended, "cudaStreamEndCapture", __FILE__, __LINE__));
    std::size_t count = 0;
    ASSAY_CUDA_TRY(cudaGraphGetNodes(graph, nullptr, &count));
    std::vector<cudaGraphNode_t> nodes(count);
    ASSAY_CUDA_TRY(cudaGraphGetNodes(graph, nodes.data(), &count));
    std::uint32_t kernels = 0;
    for (const cudaGraphNode_t node : nodes) {
      cudaGraphNodeType kind{};
      ASSAY_CUDA_TRY(cudaGraphNodeGetType(node, &kind));
      if (kind == cudaGraphNodeTypeKernel) ++kernels;
    }
    return kernels;
  }();
  if (graph != nullptr) (void)cudaGraphDestroy(graph);
  return counted;
}

}  // namespace assay::ops::cuda
