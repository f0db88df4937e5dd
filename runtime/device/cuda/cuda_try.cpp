// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/cuda/cuda_try.h"

#include <string>
#include <utility>

#include "runtime/device/cuda/cuda_absence.h"

namespace assay::device {
namespace {

error_kind kind_of(cudaError_t code) {
  switch (code) {
    case cudaErrorMemoryAllocation:
      return error_kind::out_of_memory;
    case cudaErrorInvalidValue:
    case cudaErrorInvalidConfiguration:
    case cudaErrorInvalidResourceHandle:
      return error_kind::internal;
    default:
      return error_kind::unavailable;
  }
}

const char* remedy(cudaError_t code) {
  switch (code) {
    case cudaErrorNoDevice:
      return "no GPU is visible: look at CUDA_VISIBLE_DEVICES, or use --device host";
    case cudaErrorInsufficientDriver:
      return "there is no driver, or one older than the CUDA 13.0 runtime: install driver 580 or "
             "later, or use --device host";
    case cudaErrorMemoryAllocation:
      return "free device memory, or lower the memory limit";
    case cudaErrorIllegalAddress:
    case cudaErrorMisalignedAddress:
    case cudaErrorLaunchFailure:
    case cudaErrorIllegalInstruction:
    case cudaErrorHardwareStackError:
    case cudaErrorECCUncorrectable:
      return "the GPU is lost to this process: start it again; if it comes back, report it";
    case cudaErrorNoKernelImageForDevice:
      return "the kernels are built for compute capability 9.0 (Hopper): use --device host";
    case cudaErrorDevicesUnavailable:
      return "another process has the GPU to itself: wait for it, or use --device host";
    default:
      return nullptr;
  }
}

}  // namespace

error cuda_error(cudaError_t code, const char* call, const char* file, int line) {
  std::string message =
      std::string(call) + ": " + cudaGetErrorName(code) + ", " + cudaGetErrorString(code);
  if (const char* mend = remedy(code)) message += std::string("; ") + mend;
  return error{kind_of(code), std::move(message), file, line};
}

result<void> cuda_try(cudaError_t code, const char* call, const char* file, int line) {
  if (code == cudaSuccess) [[likely]]
    return {};
  // The runtime keeps the last error for whoever asks next; it has been told here.
  (void)cudaGetLastError();
  return failure(cuda_error(code, call, file, line));
}

result<void> find_cuda_device(int index) {
  cuda_look seen;
  seen.code = cudaGetDeviceCount(&seen.count);
  // Neither creates a context, and each leaves 0 where it fails.
  if (cudaDriverGetVersion(&seen.driver_version) != cudaSuccess) seen.driver_version = 0;
  if (cudaRuntimeGetVersion(&seen.runtime_version) != cudaSuccess) seen.runtime_version = 0;
  if (auto why = cuda_absence(seen)) {
    (void)cudaGetLastError();
    return failure(*std::move(why));
  }
  const int count = seen.count;
  if (index < 0 || index >= count)
    return ASSAY_FAIL(unavailable, "GPU " + std::to_string(index) + " does not exist; " +
                                       std::to_string(count) + " visible, counted from 0");
  int major = 0;
  ASSAY_CUDA_TRY(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, index));
  if (major != 9)
    return ASSAY_FAIL(unavailable, "GPU " + std::to_string(index) + " has compute capability " +
                                       std::to_string(major) +
                                       ".x; the kernels are built for 9.0 (Hopper): use --device "
                                       "host");
  return {};
}

}  // namespace assay::device
