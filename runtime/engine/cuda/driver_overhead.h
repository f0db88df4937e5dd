// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What a GPU's driver keeps for itself, measured with everything loaded that a run will launch.
#pragma once

#include <cstdint>

#include "runtime/checkpoint/checkpoint.h"
#include "runtime/device/cuda/cuda_device.h"
#include "runtime/engine/cuda/gpu_engine.h"
#include "runtime/telemetry/result.h"

namespace assay::engine {

/// The driver loads code with its first use, and takes memory for it that no allocation shows:
/// 75 MB for a decode with passes of cuBLAS on an H200. So a layer of a step and of passes is
/// captured, made executable and thrown away, on addresses that nobody reads; nothing runs. What it
/// brought stays until the process ends. Of `from` no value is read: it may be opened unread.
/// Returns what is taken of the GPU then: the context, this code, and whatever else had memory
/// before, of other processes too. Buffers of the measurement are given back before it is asked.
/// Errors: as plan_gpu; CUDA's. Overhead: 0.2 s, once a process.
result<device::device_memory> measure_driver(const checkpoint::checkpoint& from,
                                             device::cuda_device& gpu,
                                             const engine_options& options,
                                             const gpu_engine_options& gpu_options);

/// Of a limit, what is not the engine's: all that is taken, and what no measurement before the run
/// shows: the rest of granules that allocations round up to, and code of cuBLAS for lengths that no
/// prompt of the measurement had.
std::uint64_t reserved_for(const device::device_memory& taken);

}  // namespace assay::engine
