// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Kernels of a known length.
#pragma once

#include <cstdint>

#include <cuda_runtime_api.h>

namespace assay::test {

/// Two reads of the GPU's own clock, by the kernel itself: whoever records kernels takes no part.
struct gpu_stamps {
  std::int64_t begin_ns;
  std::int64_t end_ns;
};

/// One block that keeps its multiprocessor for `length_ns` of the GPU's clock and leaves its stamps
/// at `at`, in page-locked host memory.
cudaError_t launch_spin(cudaStream_t on, std::int64_t length_ns, gpu_stamps* at);

/// Two blocks of a moment. The first thing that they do is to write `value` to `flag`, in
/// page-locked host memory: whoever watches it sees on his own clock when they began.
cudaError_t launch_flag(cudaStream_t on, std::uint32_t value, std::uint32_t* flag);

}  // namespace assay::test
