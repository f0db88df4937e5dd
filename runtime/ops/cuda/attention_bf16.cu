// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/ops/cuda/attention_launch.cuh"

namespace assay::ops::cuda {

template cudaError_t typed_attention<__nv_bfloat16>(const launch_site&, const attention_arguments&);

}  // namespace assay::ops::cuda
