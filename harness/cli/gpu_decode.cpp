// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/gpu_decode.h"

#include <limits>
#include <utility>

#include "probes/process/host_limits.h"
#include "runtime/device/cuda/cuda_device.h"
#include "runtime/engine/cuda/driver_overhead.h"
#include "runtime/engine/cuda/gpu_engine.h"
#include "runtime/engine/cuda/gpu_plan.h"

namespace assay::cli {

// Page-locked memory cannot be taken back from a process: some is left to the others. Where the
// system does not say what is available, CUDA's word is the only one.
std::uint64_t pinnable_bytes() {
  constexpr std::int64_t parts = 10;
  constexpr std::int64_t parts_taken = 9;
  const auto available = probes::available_memory_bytes();
  return available ? static_cast<std::uint64_t>(*available / parts * parts_taken)
                   : std::numeric_limits<std::uint64_t>::max();
}

namespace {

// What the driver has, everything loaded.
result<device::device_memory> set_limit(const gpu_memory_wanted& memory,
                                        const checkpoint::checkpoint& of, device::cuda_device& gpu,
                                        engine::engine_options& options) {
  ASSAY_TRY_ASSIGN(const device::device_memory has, gpu.memory());
  if (memory.limit) {
    ASSAY_TRY_ASSIGN(options.memory_limit_bytes, memory.limit->bytes_of(has.total_bytes));
  }
  ASSAY_TRY_ASSIGN(const device::device_memory driver,
                   engine::measure_driver(of, gpu, options, {}));
  options.reserved_bytes = engine::reserved_for(driver);
  return driver;
}

}  // namespace

result<opened_engine> open_on_gpu(const std::filesystem::path& folder,
                                  const gpu_memory_wanted& memory,
                                  telemetry::counter_writer& counters,
                                  engine::engine_options options) {
  ASSAY_TRY_ASSIGN(auto gpu,
                   device::cuda_device::create({.memory_limit_bytes = memory.arena_bytes}));
  opened_engine opened;
  if (memory.limit) {
    ASSAY_TRY_ASSIGN(const auto seen, checkpoint::checkpoint::open_unread(folder));
    ASSAY_TRY(set_limit(memory, seen, *gpu, options));
    opened.limit = {static_cast<std::int64_t>(*options.memory_limit_bytes),
                    static_cast<std::int64_t>(options.reserved_bytes)};
  }
  ASSAY_TRY_ASSIGN(auto made, engine::gpu_engine::load(folder, *gpu, *gpu, counters, options,
                                                       {.most_pinned_bytes = pinnable_bytes()}));
  opened.has_passes = made->has_passes();
  opened.device = std::move(gpu);
  opened.engine = std::move(made);
  return opened;
}

result<gpu_ledger> plan_on_gpu(const std::filesystem::path& folder, const gpu_memory_wanted& memory,
                               engine::engine_options options) {
  ASSAY_TRY_ASSIGN(auto gpu,
                   device::cuda_device::create({.memory_limit_bytes = memory.arena_bytes}));
  ASSAY_TRY_ASSIGN(const auto seen, checkpoint::checkpoint::open_unread(folder));
  ASSAY_TRY_ASSIGN(const device::device_memory driver, set_limit(memory, seen, *gpu, options));
  gpu_ledger ledger;
  ASSAY_TRY_ASSIGN(ledger.plan, engine::ledger_of(seen, options, {}, driver.total_bytes));
  ledger.terms = engine::terms_of(ledger.plan, driver);
  ledger.page_locked_bytes = engine::page_locked_bytes(ledger.plan, seen);
  ledger.pinnable_bytes = pinnable_bytes();
  return ledger;
}

}  // namespace assay::cli
