// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/cuda/driver_calls.h"

#include <cuda_runtime_api.h>

#include <string>

#include "runtime/device/cuda/cuda_try.h"

namespace assay::device {
namespace {

// The calls are as they were when virtual memory came, in CUDA 10.2.
constexpr unsigned int as_of_version = 10020;

struct call_loader {
  result<void> state;

  template <class Function>
  void operator()(Function& into, const char* name) {
    if (!state) return;
    void* found = nullptr;
    cudaDriverEntryPointQueryResult outcome = cudaDriverEntryPointSymbolNotFound;
    const cudaError_t code =
        cudaGetDriverEntryPointByVersion(name, &found, as_of_version, cudaEnableDefault, &outcome);
    if (code != cudaSuccess) {
      state = cuda_try(code, "cudaGetDriverEntryPointByVersion", __FILE__, __LINE__);
      return;
    }
    into = reinterpret_cast<Function>(found);
    if (outcome != cudaDriverEntryPointSuccess || found == nullptr)
      state = ASSAY_FAIL(unavailable, std::string("CUDA driver: it has no ") + name +
                                          "; install driver 580 or later");
  }
};

result<driver_calls> load_calls() {
  driver_calls found;
  call_loader load;
  load(found.error_name, "cuGetErrorName");
  load(found.error_string, "cuGetErrorString");
  load(found.granularity, "cuMemGetAllocationGranularity");
  load(found.reserve, "cuMemAddressReserve");
  load(found.give_back, "cuMemAddressFree");
  load(found.create, "cuMemCreate");
  load(found.release, "cuMemRelease");
  load(found.map, "cuMemMap");
  load(found.unmap, "cuMemUnmap");
  load(found.set_access, "cuMemSetAccess");
  if (!load.state) return failure(load.state.error());
  return found;
}

error_kind kind_of(CUresult code) {
  if (code == CUDA_ERROR_OUT_OF_MEMORY) return error_kind::out_of_memory;
  if (code == CUDA_ERROR_INVALID_VALUE || code == CUDA_ERROR_ILLEGAL_ADDRESS)
    return error_kind::internal;
  return error_kind::unavailable;
}

}  // namespace

result<const driver_calls*> driver_calls::load() {
  static const result<driver_calls> loaded = load_calls();
  if (!loaded) return failure(loaded.error());
  return &*loaded;
}

result<void> driver_calls::attempt(CUresult code, const char* call) const {
  if (code == CUDA_SUCCESS) [[likely]]
    return {};
  const char* name = nullptr;
  const char* sentence = nullptr;
  if (error_name(code, &name) != CUDA_SUCCESS || name == nullptr) name = "unknown code";
  if (error_string(code, &sentence) != CUDA_SUCCESS || sentence == nullptr) sentence = "no text";
  std::string message = std::string(call) + ": " + name + ", " + sentence;
  if (code == CUDA_ERROR_OUT_OF_MEMORY) message += "; free device memory, or lower the limit";
  return failure(error{kind_of(code), std::move(message), __FILE__, __LINE__});
}

}  // namespace assay::device
