// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// attend_rows by a group of warps that copies and two that multiply. Private to this room.
#pragma once

#include <cuda_runtime_api.h>

#include "runtime/ops/cuda/context_maps.h"
#include "runtime/ops/cuda/prefill_kernels.h"

namespace assay::ops::cuda {

/// As attend_rows; `maps` are those of the same arguments.
/// Errors: cudaErrorInvalidValue for f32 and for heads of other than 64 and 128 values.
cudaError_t attend_rows_pipelined(element type, const pass_site& site,
                                  const attend_rows_arguments& arguments, const context_maps& maps);

}  // namespace assay::ops::cuda
