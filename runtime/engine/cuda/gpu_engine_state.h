// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What a GPU's engine holds between calls. Private to the room.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "runtime/device/cuda/pinned_staging.h"
#include "runtime/engine/cuda/gpu_engine.h"
#include "runtime/engine/cuda/gpu_prefill.h"
#include "runtime/engine/cuda/weight_gate.h"
#include "runtime/engine/memory_plan.h"
#include "runtime/engine/request_flow.h"
#include "runtime/engine/resident_model.h"
#include "runtime/engine/submitter.h"
#include "runtime/engine/weight_paging.h"
#include "runtime/graph/captured_step.h"
#include "runtime/graph/decode_step.h"
#include "runtime/kv/kv_cache.h"
#include "runtime/sampling/sampler.h"

namespace assay::engine {

struct gpu_engine::state {
  /// Steps whose choices fit the pinned buffer that they are fetched into.
  static constexpr std::uint32_t most_steps = 64;

  state(device::device& device, device::cuda_device& kernels, telemetry::counter_writer& writer,
        resident_model weights, kv::kv_cache pages, submitter stream,
        device::pinned_buffer chosen_ids, std::uint32_t context_tokens);
  /// Waits for what an error left in flight.
  ~state();

  /// Buffers, and tables that never change.
  result<void> open_buffers(const graph::decode_shape& of);
  /// Under a limit: what stays and what is streamed.
  result<void> open_paging(checkpoint::checkpoint from, const memory_plan& plan,
                           memory::residency_kind kind, std::uint64_t most_pinned_bytes);
  /// The step's plan and the pass, on weights that have their places.
  result<void> open_plans(std::uint32_t context_tokens, const gpu_prefill_options& prefill,
                          bool is_eager);
  /// A step is a graph where all weights stay, and goes kernel by kernel where some are streamed.
  void choose_submission();
  result<void> change_limit(std::uint64_t limit_bytes);
  /// A sequence begins: nothing is cached, `prompt` is known.
  void begin_sequence(std::span<const std::int32_t> prompt);
  /// Makes room for `tokens` more and takes them in; fetches the last `choices` choices, or the
  /// last logits where the host draws; waits. Valid until the next run: `chosen`, `logits`.
  result<void> run(std::uint32_t tokens, std::uint32_t choices);
  /// The last `count` choices of a run. Errors: unusable_input, where logits are no numbers.
  result<std::span<const std::int32_t>> choices(std::uint32_t count) const;
  /// The id that the next step takes: the choice, or what the host draws.
  result<std::int32_t> next_token();
  void count_draws(std::int64_t draws);
  void end_sequence();
  /// What this run, or this request, cannot have. A request's marks go with it.
  void mark_absent();

  device::device& on;
  device::cuda_device& gpu;
  telemetry::counter_writer& counters;
  resident_model model;
  kv::kv_cache cache;
  submitter compute;
  event_pair inputs_span;
  event_pair compute_span;
  event_pair outputs_span;
  device::pinned_buffer chosen;                 ///< (most_steps) int32
  std::optional<device::pinned_buffer> logits;  ///< (vocab_rows) f32, from the first draw on
  request_flow flow;
  sampling::sampler sampler;
  bool is_drawn = false;           ///< the open request's ids are drawn by the host
  std::vector<std::int32_t> ids;   ///< of the prompt
  std::vector<float> frequencies;  ///< as rope_frequencies

  graph::decode_shape shape;
  graph::decode_buffers buffers;
  memory::device_buffer activations;
  std::unique_ptr<graph::decode_step> plan;
  std::unique_ptr<graph::captured_step> step;
  gpu_prefill pass;
  std::unique_ptr<weight_paging> paging;  ///< under a limit
  std::unique_ptr<weight_gate> gate;      ///< to the plans

 private:
  /// What a run enqueued for its tokens.
  struct run_tally {
    std::uint32_t steps = 0;
    std::uint32_t pass_tokens = 0;
    std::int64_t pass_calls = 0;
    std::int64_t pass_launches = 0;
  };

  /// A new sequence's ids and state, entries of the table from there on, a drawn id, and their
  /// bracket, where there are any.
  result<void> submit_inputs(std::uint32_t first_new_page, std::uint32_t start);
  result<void> submit_input(const void* to, const void* from, std::uint64_t bytes);
  result<void> submit_tokens(std::uint32_t start, std::uint32_t tokens);
  result<void> submit_paged(std::uint32_t start, std::uint32_t tokens);
  result<void> submit_paged_part(std::uint32_t start, std::uint32_t tokens, bool is_pass,
                                 bool has_head);
  result<void> submit_step();
  result<void> end_part();
  std::uint32_t known_tokens(std::uint32_t start, std::uint32_t tokens) const;
  result<void> submit_choices(std::uint32_t end, std::uint32_t choices);
  result<void> submit_logits();
  result<void> publish(std::uint32_t start, std::uint32_t tokens);
  result<void> publish_times();
  void publish_graph();
  std::int64_t weight_bytes_of_pass(std::uint32_t tokens) const;

  bool is_eager_ = false;  ///< asked for
  bool has_inputs_ = false;
  std::int32_t drawn_token_ = 0;  ///< a copy reads it until the wait
  run_tally tally_;
  graph::graph_tally published_;
  std::uint64_t beside_weights_bytes_ = 0;  ///< of the limit
  std::uint64_t reserved_bytes_ = 0;        ///< of that, others'
  std::int64_t step_weight_bytes_ = 0;      ///< that one step reads
  std::int64_t layer_weight_bytes_ = 0;     ///< of all layers: what each chunk of a pass reads
};

}  // namespace assay::engine
