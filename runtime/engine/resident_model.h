// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// A checkpoint's weights in the arena, by the role that each one plays.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "runtime/checkpoint/checkpoint.h"
#include "runtime/device/device.h"
#include "runtime/memory/arena.h"
#include "runtime/ops/weight.h"
#include "runtime/telemetry/counter_writer.h"
#include "runtime/telemetry/result.h"

namespace assay::engine {

struct layer_weights {
  ops::weight input_norm;
  ops::weight q;
  ops::weight k;
  ops::weight v;
  ops::weight q_bias;  ///< without data where the architecture has no biases; so the next two
  ops::weight k_bias;
  ops::weight v_bias;
  ops::weight q_norm;  ///< without data where the architecture norms no heads; so the next
  ops::weight k_norm;
  ops::weight o;
  ops::weight mlp_norm;
  ops::weight gate;
  ops::weight up;
  ops::weight down;
};

/// Ownership: owns the buffer that the weights point into.
struct resident_model {
  checkpoint::model_config config;
  ops::weight embedding;
  std::vector<layer_weights> layers;
  ops::weight final_norm;
  ops::weight head;  ///< the embedding, where it is tied
  std::shared_ptr<memory::arena> arena;
  memory::device_buffer buffer;

  /// As the checkpoint describes them, with no data anywhere yet.
  static resident_model described(const checkpoint::checkpoint& from);

  /// Arena bytes that the checkpoint's weights take, each aligned to a grant.
  static std::uint64_t needed_bytes(const checkpoint::checkpoint& from);

  /// Copies each weight once, in its own type, on a stream of its own, and waits for the last.
  /// Writes runtime.weights.* and the tensor counts of runtime.checkpoint.*.
  /// Errors: out_of_memory; the device's own.
  static result<resident_model> upload(const checkpoint::checkpoint& from,
                                       std::shared_ptr<memory::arena> into, device::device& on,
                                       telemetry::counter_writer& counters);
};

}  // namespace assay::engine
