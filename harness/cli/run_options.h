// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What an audited run decodes, on what, and under which limit.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "runtime/memory/residency.h"
#include "runtime/memory/vram_limit.h"
#include "runtime/telemetry/catalog.h"
#include "runtime/telemetry/result.h"
#include "scenarios/decode_scenario.h"

namespace assay::cli {

/// Whether a run decodes once more without its observers, to see what they cost.
enum class observer_arm : std::uint8_t {
  none,
  where_cheap,  ///< on the host, of a checkpoint that is loaded in a moment
  always,       ///< wherever it can be had
};

struct run_options {
  telemetry::device_class device = telemetry::device_class::host;
  std::filesystem::path checkpoint;
  scenarios::decode_scenario scenario;
  double temperature = 0.0;
  std::uint64_t seed = 0;
  std::uint64_t arena_bytes = 0;  ///< of a GPU: 0 takes what is free
  std::int64_t spin_ns = 0;
  std::int64_t page_tokens = 0;
  std::uint32_t context_tokens = 0;  ///< that the KV pages hold; 0: the model's own maximum
  /// As --vram-limit has it; resolved against the device's memory when it is opened.
  std::optional<memory::vram_limit> vram_limit;
  /// On a GPU, in its place: a limit that leaves room for half of the weights, whatever its driver
  /// and its observers take. Known when they have taken it.
  bool is_half_streamed = false;
  /// What the runtime does. The ledger expects pin: another one is a lie, and tests tell it.
  memory::residency_kind residency = memory::residency_kind::pin;
  std::uint32_t threads = 0;  ///< that run a launch's blocks
  observer_arm observer_cost = observer_arm::none;
};

/// Options from the knobs' values in force and the embedded checkpoint.
result<run_options> default_run_options();

}  // namespace assay::cli
