// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What an engine holds between calls. Private to the room.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/engine/activations.h"
#include "runtime/engine/engine.h"
#include "runtime/engine/forward_pass.h"
#include "runtime/engine/resident_model.h"
#include "runtime/engine/submitter.h"
#include "runtime/kv/kv_cache.h"
#include "runtime/sampling/sampler.h"
#include "runtime/telemetry/clock.h"

namespace assay::engine {

enum class request_phase : std::uint8_t { none, begun, running, stopped, failed };

/// The request that is open, if one is.
struct open_request {
  request_phase phase = request_phase::none;
  request_options options;
  std::uint32_t prompt_tokens = 0;
  std::uint32_t generated_tokens = 0;
  std::int64_t decode_steps = 0;
  std::int64_t itl_ns = 0;
  std::int32_t last_token = 0;
  host_time begun_at;
  host_time last_token_at;
};

/// One pass and where its logits go.
struct step_plan {
  pass_shape shape;
  float* device_logits = nullptr;
  std::span<float> host_logits;
  pass_capture capture;
};

struct engine::state {
  state(device::device& device, telemetry::counter_writer& writer, resident_model weights,
        kv::kv_cache pages, activations memory, submitter stream);
  /// Waits for what an error left in flight: buffers go only when no kernel can still use them.
  ~state();

  /// Feeds `ids` (its first shape.tokens): copies them in, runs the pass, copies logits out, waits
  /// once, and writes the step's counters.
  result<void> run(const step_plan& plan);
  /// Errors: unusable_input: no ids, more than the context, one outside of the vocabulary.
  result<void> check_ids(std::span<const std::int32_t> given) const;
  /// The plan of a request's step: the last position's logits.
  step_plan plan_for(std::uint32_t tokens);
  /// Draws from `logits` and moves the request on. `at` of the token goes to last_token_at.
  result<step_result> draw();
  /// Gives the sequence's pages back.
  void end_sequence();

  device::device& on;
  telemetry::counter_writer& counters;
  resident_model model;
  kv::kv_cache cache;
  activations buffers;
  submitter compute;
  event_pair inputs_span;
  event_pair compute_span;
  event_pair logits_span;
  sampling::sampler sampler;
  std::uint32_t context_tokens = 0;
  open_request request;
  std::vector<std::int32_t> ids;  // of the step in flight: a copy reads it until the wait
  std::vector<float> logits;      // (vocab_rows)

 private:
  result<void> submit(const step_plan& plan, pass_tally& tally);
  result<void> submit_inputs(std::uint32_t tokens);
  result<void> submit_logits(const step_plan& plan);
  result<void> publish(const step_plan& plan, const pass_tally& tally);
  stop_reason stop_after(std::int32_t token) const;
};

}  // namespace assay::engine
