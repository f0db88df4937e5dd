// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/ops/cuda/decode_kernels.cuh"

namespace assay::ops::cuda {

template cudaError_t typed_norm_qkv<float>(const launch_site&, const norm_qkv_arguments&);
template cudaError_t typed_project_add<float>(const launch_site&, const project_add_arguments&);
template cudaError_t typed_gated_mlp<float>(const launch_site&, const gated_mlp_arguments&);
template cudaError_t typed_head<float>(const launch_site&, const head_arguments&);

}  // namespace assay::ops::cuda
