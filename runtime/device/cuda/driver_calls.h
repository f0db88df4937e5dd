// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The calls of the CUDA driver that the CUDA runtime does not have: virtual memory.
#pragma once

#include <cuda.h>

#include <cstddef>
#include <cstdint>

#include "runtime/telemetry/result.h"

namespace assay::device {

/// By the runtime, from the driver that it has loaded: nothing links against libcuda.
struct driver_calls {
  decltype(&::cuGetErrorName) error_name = nullptr;
  decltype(&::cuGetErrorString) error_string = nullptr;
  decltype(&::cuMemGetAllocationGranularity) granularity = nullptr;
  decltype(&::cuMemAddressReserve) reserve = nullptr;
  decltype(&::cuMemAddressFree) give_back = nullptr;
  decltype(&::cuMemCreate) create = nullptr;
  decltype(&::cuMemRelease) release = nullptr;
  decltype(&::cuMemMap) map = nullptr;
  decltype(&::cuMemUnmap) unmap = nullptr;
  decltype(&::cuMemSetAccess) set_access = nullptr;

  /// Once a process. Errors: unavailable, naming the call that the driver does not have.
  static result<const driver_calls*> load();

  /// A call's code as a result. `call` has static storage.
  /// Errors: out_of_memory for CUDA_ERROR_OUT_OF_MEMORY, naming the call and what mends it;
  /// internal for what only a defect of ours brings about; unavailable otherwise.
  result<void> attempt(CUresult code, const char* call) const;
};

}  // namespace assay::device
