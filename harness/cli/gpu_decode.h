// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// An engine on a GPU, for whoever only decodes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>

#include "runtime/device/device.h"
#include "runtime/engine/decode_engine.h"
#include "runtime/telemetry/counter_writer.h"
#include "runtime/telemetry/result.h"

namespace assay::cli {

/// Ownership: both; the engine goes first.
struct opened_engine {
  std::unique_ptr<device::device> device;
  std::unique_ptr<engine::decode_engine> engine;
};

/// The engine that an audit runs, on the first GPU, nobody watching. `memory_limit_bytes`: 0 takes
/// what is free. Errors: unavailable where there is no GPU, or where this program was built without
/// CUDA; as engine::gpu_engine.
result<opened_engine> open_on_gpu(const std::filesystem::path& folder,
                                  std::uint64_t memory_limit_bytes,
                                  telemetry::counter_writer& counters,
                                  const engine::engine_options& options);

}  // namespace assay::cli
