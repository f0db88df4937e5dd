// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Why there is no GPU, in a sentence that says what mends it. Pure.
#pragma once

#include <optional>

#include <cuda_runtime_api.h>

#include "runtime/telemetry/result.h"

namespace assay::device {

/// What CUDA answers before there is a context. Versions as CUDA counts them: 13000 is 13.0.
struct cuda_look {
  cudaError_t code = cudaSuccess;  ///< of counting the devices
  int count = 0;                   ///< visible ones
  int driver_version = 0;          ///< 0: no driver is loaded
  int runtime_version = 0;         ///< that this program was built with
};

/// Nothing where there is at least one visible GPU.
/// Errors: unavailable: no driver, a driver older than the runtime, no visible GPU, or CUDA's own
/// sentence for anything else.
std::optional<error> cuda_absence(const cuda_look& seen);

}  // namespace assay::device
