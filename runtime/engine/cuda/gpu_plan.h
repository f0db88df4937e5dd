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

/// The ledger of a run, under a limit or without one. Errors: as plan_gpu.
result<memory_plan> ledger_of(const checkpoint::checkpoint& from, const engine_options& options,
                              const gpu_engine_options& gpu_options, std::uint64_t device_bytes);

/// Every term of a GPU's; `driver` as measure_driver() said, and what of the ledger's reserve it
/// is.
std::vector<plan_term> terms_of(const memory_plan& ledger, const device::device_memory& driver);

/// Bytes of host memory that kernels or copy engines of the GPU read in each step: what is
/// streamed, and the embedding where it is not the head.
std::uint64_t page_locked_bytes(const memory_plan& ledger, const checkpoint::checkpoint& from);

/// Whether it all lies on the GPU at once. Errors: out_of_memory, naming each term.
result<void> check_fits(const checkpoint::checkpoint& from, const gpu_plan& plan,
                        std::uint64_t limit_bytes);

}  // namespace assay::engine
