// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Calls of the CUDA runtime as results.
#pragma once

#include <cuda_runtime_api.h>

#include "runtime/telemetry/result.h"

namespace assay::device {

/// The error of a call: its text, CUDA's name of the code, CUDA's sentence, and what mends it where
/// that is known. `call` has static storage.
/// Errors: out_of_memory for cudaErrorMemoryAllocation, unavailable for what this machine or driver
/// cannot do and for a lost device, whatever lost it, internal for calls that only a defect of ours
/// makes.
result<void> cuda_try(cudaError_t code, const char* call, const char* file, int line);

/// As an error, for whoever adds to the message. `code` is not success.
error cuda_error(cudaError_t code, const char* call, const char* file, int line);

/// Is there a device that can run our kernels? Creates no context.
/// Errors: unavailable, one sentence: no driver, a driver older than the runtime, no device, all
/// devices hidden by CUDA_VISIBLE_DEVICES, or a device older than compute capability 9.0.
result<void> find_cuda_device(int index);

}  // namespace assay::device

/// Returns the error of a CUDA call from the enclosing function, or goes on.
#define ASSAY_CUDA_TRY(call_) \
  ASSAY_TRY(::assay::device::cuda_try((call_), #call_, __FILE__, __LINE__))
