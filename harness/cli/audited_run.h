// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// A decode run on the host device with every observer attached, written down as a trace.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "harness/cli/run_backend.h"
#include "harness/cli/track.h"
#include "runtime/device/host_device.h"
#include "runtime/memory/residency.h"
#include "runtime/memory/vram_limit.h"
#include "runtime/telemetry/result.h"
#include "scenarios/decode_scenario.h"

namespace assay::cli {

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
};

/// Options from the knobs' values in force and the embedded checkpoint.
result<run_options> default_run_options();

/// Told what is happening, and nothing ("") once that is over; the caller decides whether anybody
/// sees it.
using progress = std::function<void(std::string_view)>;

/// Decodes the scenario once and writes the same run to every track, each with the readings of its
/// own instrument.
/// Errors: the runtime's own, and `interrupted` after Ctrl-C; the traces then end without an END
/// block, so no reader can take them for a whole run. Tests pass a maker whose host executor is
/// faulty; a GPU's backend does not ask it.
result<void> audited_run(const run_options& options, std::span<const track> tracks,
                         const progress& tell, const device_maker& make_device = make_host_device);

}  // namespace assay::cli
