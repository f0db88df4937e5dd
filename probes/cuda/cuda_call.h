// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// A probe's calls of the CUDA runtime as results. The runtime under audit has its own.
#pragma once

#include <string>

#include <cuda_runtime_api.h>

#include "runtime/telemetry/result.h"

namespace assay::probes {

/// A call's failure as an error: its text, CUDA's name of the code and CUDA's sentence.
/// Errors: out_of_memory for cudaErrorMemoryAllocation, else unavailable: what a probe cannot do,
/// it does without.
inline result<void> cuda_call(cudaError_t code, const char* call) {
  if (code == cudaSuccess) [[likely]]
    return {};
  // The runtime keeps the last error for whoever asks next; it has been told here.
  static_cast<void>(cudaGetLastError());
  const std::string message =
      std::string(call) + ": " + cudaGetErrorName(code) + ", " + cudaGetErrorString(code);
  if (code == cudaErrorMemoryAllocation)
    return ASSAY_FAIL(out_of_memory, message + "; the probe needs device memory: free some");
  return ASSAY_FAIL(unavailable, message);
}

}  // namespace assay::probes

/// Returns the error of a CUDA call from the enclosing function, or goes on.
#define ASSAY_CUDA_CALL(call_) ASSAY_TRY(::assay::probes::cuda_call((call_), #call_))
