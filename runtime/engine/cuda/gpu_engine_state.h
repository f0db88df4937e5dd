// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What a GPU's engine holds between calls. Private to the room.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "runtime/device/cuda/pinned_staging.h"
#include "runtime/engine/cuda/gpu_engine.h"
#include "runtime/engine/request_flow.h"
#include "runtime/engine/resident_model.h"
#include "runtime/engine/submitter.h"
#include "runtime/graph/captured_step.h"
#include "runtime/graph/decode_step.h"
#include "runtime/kv/kv_cache.h"

namespace assay::engine {

struct gpu_engine::state {
  state(device::device& device, device::cuda_device& kernels, telemetry::counter_writer& writer,
        resident_model weights, kv::kv_cache pages, submitter stream,
        device::pinned_buffer chosen_ids, std::uint32_t context_tokens);
  /// Waits for what an error left in flight.
  ~state();

  /// Buffers, tables that never change, and the step's plan.
  result<void> open(const graph::decode_shape& of);
  /// Makes room for `tokens` more, steps through them, fetches the last one's choice and waits.
  result<std::int32_t> run(std::uint32_t tokens);

  device::device& on;
  device::cuda_device& gpu;
  telemetry::counter_writer& counters;
  resident_model model;
  kv::kv_cache cache;
  submitter compute;
  event_pair inputs_span;
  event_pair compute_span;
  event_pair choices_span;
  device::pinned_buffer chosen;  ///< one int32
  request_flow flow;
  std::vector<std::int32_t> ids;   ///< of the prompt that waits for its prefill
  std::vector<float> frequencies;  ///< as rope_frequencies

  graph::decode_shape shape;
  graph::decode_buffers buffers;
  memory::device_buffer activations;
  std::unique_ptr<graph::decode_step> plan;
  std::unique_ptr<graph::captured_step> step;
  std::int64_t step_weight_bytes = 0;  ///< that one step reads

 private:
  /// A new sequence's ids and state, entries of the table from there on, and their bracket, where
  /// there are any.
  result<void> submit_inputs(std::uint32_t first_new_page);
  result<void> submit_input(const void* to, const void* from, std::uint64_t bytes);
  result<void> submit_steps(std::uint32_t tokens);
  result<void> submit_choice(std::uint32_t position);
  result<void> publish(std::uint32_t start, std::uint32_t tokens);
  void publish_graph();

  bool has_inputs_ = false;
  graph::graph_tally published_;
};

}  // namespace assay::engine
