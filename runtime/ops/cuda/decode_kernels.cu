// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// From the type of a weight to the kernels that were compiled for it.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "runtime/ops/cuda/decode_kernels.h"
#include "runtime/ops/cuda/typed_kernels.h"

namespace assay::ops::cuda {

cudaError_t norm_qkv(element type, const launch_site& site, const norm_qkv_arguments& a) {
  switch (type) {
    case element::bf16:
      return typed_norm_qkv<__nv_bfloat16>(site, a);
    case element::f16:
      return typed_norm_qkv<__half>(site, a);
    case element::f32:
      return typed_norm_qkv<float>(site, a);
  }
  return cudaErrorInvalidValue;
}

cudaError_t attention(element type, const launch_site& site, const attention_arguments& a) {
  switch (type) {
    case element::bf16:
      return typed_attention<__nv_bfloat16>(site, a);
    case element::f16:
      return typed_attention<__half>(site, a);
    case element::f32:
      return typed_attention<float>(site, a);
  }
  return cudaErrorInvalidValue;
}

cudaError_t project_add(element type, const launch_site& site, const project_add_arguments& a) {
  switch (type) {
    case element::bf16:
      return typed_project_add<__nv_bfloat16>(site, a);
    case element::f16:
      return typed_project_add<__half>(site, a);
    case element::f32:
      return typed_project_add<float>(site, a);
  }
  return cudaErrorInvalidValue;
}

cudaError_t gated_mlp(element type, const launch_site& site, const gated_mlp_arguments& a) {
  switch (type) {
    case element::bf16:
      return typed_gated_mlp<__nv_bfloat16>(site, a);
    case element::f16:
      return typed_gated_mlp<__half>(site, a);
    case element::f32:
      return typed_gated_mlp<float>(site, a);
  }
  return cudaErrorInvalidValue;
}

cudaError_t head(element type, const launch_site& site, const head_arguments& a) {
  switch (type) {
    case element::bf16:
      return typed_head<__nv_bfloat16>(site, a);
    case element::f16:
      return typed_head<__half>(site, a);
    case element::f32:
      return typed_head<float>(site, a);
  }
  return cudaErrorInvalidValue;
}

}  // namespace assay::ops::cuda
