// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// An engine on a GPU, for whoever only decodes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "runtime/device/device.h"
#include "runtime/engine/decode_engine.h"
#include "runtime/engine/memory_plan.h"
#include "runtime/memory/vram_limit.h"
#include "runtime/telemetry/counter_writer.h"
#include "runtime/telemetry/result.h"
#include "scenarios/paging_ledger.h"

namespace assay::cli {

/// Ownership: both; the engine goes first.
struct opened_engine {
  std::unique_ptr<device::device> device;
  std::unique_ptr<engine::decode_engine> engine;
  scenarios::limit_shape limit;  ///< as the engine was given it, where there is one
  bool has_passes = false;       ///< of a GPU
};

/// The memory that a run on a GPU may take: 0 of `arena_bytes` is what is free.
struct gpu_memory_wanted {
  std::uint64_t arena_bytes = 0;
  std::optional<memory::vram_limit> limit;
};

/// Host memory that streamed weights may stand in: nine tenths of what is available now.
std::uint64_t pinnable_bytes();

/// The engine that an audit runs, on the first GPU, nobody watching. Under a limit, what the driver
/// has taken by the time that the engine is made is reserved. Errors: usage, from the limit;
/// unavailable where there is no GPU, or where this program was built without CUDA; as
/// engine::gpu_engine.
result<opened_engine> open_on_gpu(const std::filesystem::path& folder,
                                  const gpu_memory_wanted& memory,
                                  telemetry::counter_writer& counters,
                                  engine::engine_options options);

/// What a run on the first GPU will take of it, nobody watching. The GPU is asked, and has the code
/// that the model needs afterwards; no weight is read.
struct gpu_ledger {
  engine::memory_plan plan;
  std::vector<engine::plan_term> terms;
  std::uint64_t page_locked_bytes = 0;  ///< of the host, for what is streamed
  std::uint64_t pinnable_bytes = 0;     ///< that may be
};
/// Errors: as open_on_gpu, but for a limit that does not hold a step.
result<gpu_ledger> plan_on_gpu(const std::filesystem::path& folder, const gpu_memory_wanted& memory,
                               engine::engine_options options);

}  // namespace assay::cli
