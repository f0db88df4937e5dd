// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/ops/cuda/context_maps.h"

#include <algorithm>
#include <bit>
#include <cstddef>

namespace assay::ops::cuda {
namespace {

constexpr unsigned int as_of_version = 12000;
constexpr std::uint32_t box_columns = 64;
constexpr std::uint32_t query_box_rows = 128;
constexpr std::uint32_t element_bytes = 2;
// As many as coordinates can name: which pages there are the table says.
constexpr std::uint64_t all_planes = std::uint64_t{1} << 31;

struct encode_call {
  decltype(&::cuTensorMapEncodeTiled) function = nullptr;
  cudaError_t refused = cudaSuccess;  ///< why there is none
};

// By the runtime, from the driver that it has loaded: nothing links against libcuda.
encode_call find_encode() {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult outcome = cudaDriverEntryPointSymbolNotFound;
  const cudaError_t code = cudaGetDriverEntryPointByVersion(
      "cuTensorMapEncodeTiled", &found, as_of_version, cudaEnableDefault, &outcome);
  if (code != cudaSuccess) return {nullptr, code};
  if (outcome != cudaDriverEntryPointSuccess || found == nullptr)
    return {nullptr, cudaErrorNotSupported};
  return {reinterpret_cast<decltype(encode_call::function)>(found), cudaSuccess};
}

// The runtime's codes are the driver's, number by number, but for two that this call has not.
static_assert(static_cast<int>(CUDA_ERROR_INVALID_VALUE) == cudaErrorInvalidValue);
static_assert(static_cast<int>(CUDA_ERROR_NOT_SUPPORTED) == cudaErrorNotSupported);
static_assert(static_cast<int>(CUDA_ERROR_INVALID_CONTEXT) == cudaErrorDeviceUninitialized);
static_assert(static_cast<int>(CUDA_ERROR_NOT_INITIALIZED) == cudaErrorInitializationError);
cudaError_t as_runtime_code(CUresult code) {
  return static_cast<cudaError_t>(code);
}

/// Rows of columns, and planes of rows; one plane where `planes` is 0.
struct map_shape {
  std::uint64_t columns, rows, planes;
  std::uint64_t row_columns;  ///< from a row to the next
  std::uint32_t box_rows;
};

cudaError_t encode(const void* at, const map_shape& shape, CUtensorMap& map) {
  static const encode_call call = find_encode();
  if (call.function == nullptr) return call.refused;
  const std::uint32_t rank = shape.planes == 0 ? 2 : 3;
  const cuuint64_t sizes[3] = {shape.columns, shape.rows, shape.planes};
  const cuuint64_t row_bytes = shape.row_columns * element_bytes;
  const cuuint64_t strides[2] = {row_bytes, row_bytes * shape.rows};
  const cuuint32_t box[3] = {box_columns, shape.box_rows, 1};
  const cuuint32_t steps[3] = {1, 1, 1};
  return as_runtime_code(
      call.function(&map, CU_TENSOR_MAP_DATA_TYPE_UINT16, rank, const_cast<void*>(at), sizes,
                    strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                    CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE));
}

}  // namespace

cudaError_t make_context_maps(const pass_site& site, const attend_rows_arguments& a,
                              context_maps& maps) {
  const std::uint64_t columns = std::uint64_t{a.heads + 2 * a.kv_heads} * a.head_dim;
  const cudaError_t made =
      encode(a.qkv, {columns, site.tokens, 0, columns, query_box_rows}, maps.queries);
  if (made != cudaSuccess) return made;
  maps.box_rows = std::min<std::uint32_t>(a.page_tokens, context_tile_keys);
  maps.page_shift = static_cast<std::uint32_t>(std::countr_zero(a.page_tokens));
  return encode(a.pages, {a.head_dim, a.page_tokens, all_planes, a.head_dim, maps.box_rows},
                maps.rows);
}

}  // namespace assay::ops::cuda
