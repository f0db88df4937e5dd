// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/gpu_decode.h"

#include <utility>

#include "runtime/device/cuda/cuda_device.h"
#include "runtime/engine/cuda/gpu_engine.h"

namespace assay::cli {

result<opened_engine> open_on_gpu(const std::filesystem::path& folder,
                                  std::uint64_t memory_limit_bytes,
                                  telemetry::counter_writer& counters,
                                  const engine::engine_options& options) {
  ASSAY_TRY_ASSIGN(auto gpu,
                   device::cuda_device::create({.memory_limit_bytes = memory_limit_bytes}));
  ASSAY_TRY_ASSIGN(auto made, engine::gpu_engine::load(folder, *gpu, *gpu, counters, options));
  return opened_engine{std::move(gpu), std::move(made)};
}

}  // namespace assay::cli
