// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/ops/cuda/decode_kernels.cuh"

namespace assay::ops::cuda {

template cudaError_t typed_norm_qkv<__nv_bfloat16>(const launch_site&, const norm_qkv_arguments&);
template cudaError_t typed_project_add<__nv_bfloat16>(const launch_site&,
                                                      const project_add_arguments&);
template cudaError_t typed_gated_mlp<__nv_bfloat16>(const launch_site&, const gated_mlp_arguments&);
template cudaError_t typed_head<__nv_bfloat16>(const launch_site&, const head_arguments&);

}  // namespace assay::ops::cuda
