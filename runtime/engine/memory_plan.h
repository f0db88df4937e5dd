// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// One ledger of all that a run takes of the device, made from headers and config before anything is
// loaded.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/checkpoint/model_config.h"
#include "runtime/checkpoint/weight_files.h"
#include "runtime/engine/decode_engine.h"
#include "runtime/engine/weight_schedule.h"
#include "runtime/memory/placement.h"
#include "runtime/telemetry/result.h"

namespace assay::engine {

/// One line. What nobody has measured or computed has a reason and no number: never 0.
struct plan_term {
  std::string name;
  std::optional<std::uint64_t> bytes;
  std::string basis;  ///< how the number came about, or why there is none
};

struct memory_plan {
  std::uint64_t device_bytes = 0;  ///< what the device has
  std::optional<std::uint64_t> limit_bytes;
  std::uint32_t context_tokens = 0;
  std::uint64_t step_bytes = 0;  ///< W: of the distinct weights that one step reads
  std::uint64_t largest_weight_bytes = 0;
  std::uint64_t kv_bytes = 0;
  std::uint64_t activations_bytes = 0;
  /// For whoever observes the run on the same device; on a GPU with what the driver takes.
  std::uint64_t reserved_bytes = 0;
  std::uint64_t all_resident_bytes = 0;  ///< of a run without a limit
  /// Under a limit: what it leaves for weights, and what becomes of that. Without one, the weights'
  /// size, and no placement.
  std::uint64_t budget_bytes = 0;
  std::uint64_t resident_bytes = 0;  ///< R: without what alignment adds
  std::optional<memory::placement> placed;
  std::uint64_t least_limit_bytes = 0;  ///< the smallest limit that a step can run with

  bool is_all_resident() const { return resident_bytes == step_bytes; }
  std::uint64_t streamed_bytes() const { return step_bytes - resident_bytes; }
  /// What the run takes of the device, as far as it is known.
  std::uint64_t total_bytes() const;
};

/// What a device has beside the weights, and all of the weights as it places them.
struct plan_frame {
  std::uint64_t kv_bytes = 0;
  std::uint64_t activations_bytes = 0;
  std::uint64_t all_weights_bytes = 0;
  std::uint32_t context_tokens = 0;
  std::uint64_t device_bytes = 0;
};
memory_plan plan_around(const plan_frame& frame, const weight_schedule& schedule,
                        const engine_options& options);

/// Of the host device. Errors: usage, from the options; unusable_input, from the files. A limit
/// that cannot hold a step is no error here: there is no placement then, and check_plan() says why.
result<memory_plan> plan_memory(const checkpoint::model_config& config,
                                const checkpoint::weight_files& files,
                                const engine_options& options, std::uint64_t device_bytes);

/// Errors: out_of_memory, in one line that names every term, the limit and the least limit.
result<void> check_plan(const memory_plan& plan);

/// Every term, those that are unknown included. Of the host device.
std::vector<plan_term> terms_of(const memory_plan& plan);
/// Of these the two of weights, which are the same on every device.
std::vector<plan_term> weight_terms_of(const memory_plan& plan);

}  // namespace assay::engine
