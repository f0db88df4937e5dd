// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What an engine holds between calls. Private to the room.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "runtime/engine/activations.h"
#include "runtime/engine/engine.h"
#include "runtime/engine/forward_pass.h"
#include "runtime/engine/page_copies.h"
#include "runtime/engine/request_flow.h"
#include "runtime/engine/resident_model.h"
#include "runtime/engine/submitter.h"
#include "runtime/engine/weight_paging.h"
#include "runtime/kv/kv_cache.h"
#include "runtime/sampling/sampler.h"

namespace assay::engine {

/// One pass and where its logits go.
struct step_plan {
  pass_shape shape;
  float* device_logits = nullptr;
  std::span<float> host_logits;
  pass_capture capture;
};

struct engine::state {
  state(device::device& device, telemetry::counter_writer& writer, resident_model weights,
        kv::kv_cache pages, activations memory, submitter stream, std::uint32_t context_tokens);
  /// Waits for what an error left in flight: buffers go only when no kernel can still use them.
  ~state();

  /// Feeds `ids` (its first shape.tokens): copies them in, runs the pass, copies logits out, waits
  /// once, and writes the step's counters.
  result<void> run(const step_plan& plan);
  /// What a run on this device cannot have. A request's marks go with it.
  void mark_absent();
  void mark_no_paging();
  /// The plan of a request's step: the last position's logits.
  step_plan plan_for(std::uint32_t tokens);
  /// Gives the sequence's pages back.
  void end_sequence();

  device::device& on;
  telemetry::counter_writer& counters;
  resident_model model;
  std::unique_ptr<weight_paging> paging;   ///< null where all weights are resident
  std::uint64_t beside_weights_bytes = 0;  ///< of a limit: KV pages, activations, the reserve
  std::vector<std::byte> rows;             ///< embedding rows of the step in flight, gathered
  kv::kv_cache cache;
  activations buffers;
  submitter compute;
  event_pair inputs_span;
  event_pair compute_span;
  event_pair logits_span;
  sampling::sampler sampler;
  request_flow flow;
  std::vector<std::int32_t> ids;  // of the step in flight: a copy reads it until the wait
  std::vector<std::int32_t> prompt_to_keep;  // empty where the request keeps none
  std::vector<float> logits;                 // (vocab_rows)

 private:
  result<void> submit(const step_plan& plan, pass_tally& tally);
  result<void> submit_inputs(std::uint32_t tokens);
  result<void> gather_rows(std::uint32_t tokens);
  result<void> submit_rows(std::uint32_t tokens);
  result<void> submit_logits(const step_plan& plan);
  result<void> publish(const step_plan& plan, const pass_tally& tally);
};

}  // namespace assay::engine
