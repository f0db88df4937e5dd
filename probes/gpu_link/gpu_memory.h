// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Memory of a GPU, and of the host where its copy engines reach it, with an owner.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include <cuda_runtime_api.h>

#include "probes/cuda/cuda_call.h"
#include "runtime/telemetry/result.h"

namespace assay::probes {

enum class memory_place { device, pinned_host };

/// Words of memory in one place. Uninitialised.
template <memory_place Place>
class gpu_words {
 public:
  gpu_words() = default;

  /// Errors: out_of_memory; unavailable.
  static result<gpu_words> create(std::uint64_t bytes) {
    void* address = nullptr;
    if constexpr (Place == memory_place::device)
      ASSAY_CUDA_CALL(cudaMalloc(&address, bytes));
    else
      ASSAY_CUDA_CALL(cudaHostAlloc(&address, bytes, cudaHostAllocDefault));
    gpu_words made;
    made.words_.reset(static_cast<std::uint64_t*>(address));
    made.bytes_ = bytes;
    return made;
  }

  std::uint64_t* data() const { return words_.get(); }
  std::uint64_t bytes() const { return bytes_; }
  std::uint64_t count() const { return bytes_ / sizeof(std::uint64_t); }
  /// Of the host's memory alone.
  std::span<std::uint64_t> words() const requires(Place == memory_place::pinned_host) {
    return {words_.get(), count()};
  }

 private:
  struct release {
    void operator()(std::uint64_t* what) const {
      static_cast<void>(Place == memory_place::device ? cudaFree(what) : cudaFreeHost(what));
    }
  };

  std::unique_ptr<std::uint64_t, release> words_;
  std::uint64_t bytes_ = 0;
};

using device_words = gpu_words<memory_place::device>;
using pinned_words = gpu_words<memory_place::pinned_host>;

}  // namespace assay::probes
