// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What loading onto a GPU decides from headers and config, before anything is copied.
#pragma once

#include <cstdint>
#include <optional>

#include "runtime/checkpoint/checkpoint.h"
#include "runtime/engine/cuda/gpu_engine.h"
#include "runtime/engine/memory_plan.h"
#include "runtime/graph/decode_step.h"
#include "runtime/kv/kv_layout.h"
#include "runtime/telemetry/result.h"

namespace assay::engine {

struct gpu_plan {
  kv::kv_layout layout;
  graph::decode_shape shape;
  std::uint32_t context_tokens = 0;
  gpu_prefill_options prefill;
  std::uint64_t scratch_bytes = 0;    ///< of a pass over a prompt; 0 where none can run
  std::optional<memory_plan> memory;  ///< under a limit
};

/// `device_bytes`: what the GPU has. Errors: unusable_input, where no kernel covers the model;
/// usage, from the options.
result<gpu_plan> plan_gpu(const checkpoint::checkpoint& from, const engine_options& options,
                          const gpu_engine_options& gpu_options, std::uint64_t device_bytes);

/// Of a limit, what is not the engine's: all that is taken already, and what the driver will take
/// for code that comes with its first launch. Whatever else runs on the GPU counts as taken.
std::uint64_t reserved_for(const device::device_memory& taken);

/// Whether it all lies on the GPU at once. Errors: out_of_memory, naming each term.
result<void> check_fits(const checkpoint::checkpoint& from, const gpu_plan& plan,
                        std::uint64_t limit_bytes);

}  // namespace assay::engine
