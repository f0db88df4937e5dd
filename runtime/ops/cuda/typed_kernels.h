// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The kernels of a step by type of weight. Private to this room: instantiated a type a file.
#pragma once

#include "runtime/ops/cuda/decode_kernels.h"

namespace assay::ops::cuda {

template <class T>
cudaError_t typed_norm_qkv(const launch_site& site, const norm_qkv_arguments& arguments);
template <class T>
cudaError_t typed_attention(const launch_site& site, const attention_arguments& arguments);
template <class T>
cudaError_t typed_project_add(const launch_site& site, const project_add_arguments& arguments);
template <class T>
cudaError_t typed_gated_mlp(const launch_site& site, const gated_mlp_arguments& arguments);
template <class T>
cudaError_t typed_head(const launch_site& site, const head_arguments& arguments);

}  // namespace assay::ops::cuda
