// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What a GPU's engine makes once: buffers, weights under a limit, the step's plan and the pass.
#include <algorithm>
#include <string>
#include <utility>

#include "runtime/engine/cuda/gpu_engine_state.h"
#include "runtime/engine/cuda/gpu_shape.h"
#include "runtime/engine/cuda/gpu_weights.h"
#include "runtime/engine/cuda/pinned_weights.h"

namespace assay::engine {

result<void> gpu_engine::state::open_buffers(const graph::decode_shape& of) {
  shape = of;
  ASSAY_TRY_ASSIGN(inputs_span, event_pair::create(on));
  ASSAY_TRY_ASSIGN(compute_span, event_pair::create(on));
  // What a step computed is copied right behind it: one event ends the one and begins the other.
  outputs_span.before = compute_span.after;
  ASSAY_TRY_ASSIGN(outputs_span.after, on.create_event());
  ASSAY_TRY_ASSIGN(activations, model.arena->allocate(carve(nullptr, shape, buffers)));
  carve(activations.address(), shape, buffers);
  layer_weight_bytes_ = layer_bytes_of(model);
  step_weight_bytes_ = layer_weight_bytes_ + end_bytes_of(model);
  frequencies = rope_frequencies(model.config);
  return {};
}

result<void> gpu_engine::state::open_paging(checkpoint::checkpoint from, const memory_plan& of,
                                            memory::residency_kind kind,
                                            std::uint64_t most_pinned_bytes) {
  reserved_bytes_ = of.reserved_bytes;
  beside_weights_bytes_ = of.kv_bytes + of.activations_bytes + of.reserved_bytes;
  ASSAY_TRY_ASSIGN(
      paging, weight_paging::create(std::move(from), model.arena, on, counters, of.budget_bytes,
                                    kind, std::make_unique<pinned_weights>(most_pinned_bytes)));
  paging->bind(model);
  model.embedding.data = paging->embedding_for_kernels();
  gate = std::make_unique<weight_gate>(*paging, compute, model);
  return {};
}

result<void> gpu_engine::state::open_plans(std::uint32_t context_tokens,
                                           const gpu_prefill_options& prefill, bool is_eager) {
  ops::cuda::launch_site site;
  site.stream = gpu.native(compute.stream());
  site.blocks = static_cast<std::uint32_t>(gpu.multiprocessors());
  site.has_tensor_attention = takes_tensor_attention(shape);
  const graph::decode_weights weights = weights_of(model, cache);
  plan = std::make_unique<graph::decode_step>(shape, weights, buffers, site);
  is_eager_ = is_eager;
  pass = gpu_prefill::open(*model.arena, {shape, weights, buffers, site, context_tokens}, prefill);
  pass.enqueue_through([this](std::uint32_t kernels, const auto& work) -> result<void> {
    ASSAY_TRY(compute.submit_kernels(kernels, [&](void*) { return work(); }));
    ++tally_.pass_calls;
    tally_.pass_launches += kernels;
    return {};
  });
  if (gate) {
    gate->follow(plan->weights());
    pass.bring_weights_by(*gate);
  }
  choose_submission();
  publish_graph();
  return {};
}

void gpu_engine::state::choose_submission() {
  step = std::make_unique<graph::captured_step>(plan->site().stream,
                                                [this] { return plan->submit(); });
  published_ = {};
  if (is_eager_) step->run_eagerly("asked for");
  plan->stand_alone();
  if (!paging || !paging->is_streaming()) return;
  plan->bring_weights_by(*gate);
  plan->enqueue_through([this](std::uint32_t kernels, const auto& work) {
    return compute.submit_kernels(kernels, [&](void*) { return work(); });
  });
  step->run_eagerly("weights are streamed, and each operator waits for its own");
}

result<void> gpu_engine::state::change_limit(std::uint64_t limit_bytes) {
  ASSAY_TRY_ASSIGN(const device::device_memory has, gpu.memory());
  if (limit_bytes > has.total_bytes)
    return ASSAY_FAIL(usage, "memory limit: " + std::to_string(limit_bytes) +
                                 " bytes are more than the GPU's " +
                                 std::to_string(has.total_bytes) + "; give less");
  const std::uint64_t before_bytes = gpu.memory_limit_bytes();
  // What is given back comes first, so the larger of the two holds for both.
  gpu.limit_memory(std::max(before_bytes, limit_bytes - std::min(limit_bytes, reserved_bytes_)));
  const auto changed = paging->change_budget(
      limit_bytes > beside_weights_bytes_ ? limit_bytes - beside_weights_bytes_ : 0);
  gpu.limit_memory(changed ? limit_bytes - reserved_bytes_ : before_bytes);
  if (!changed) return changed;
  model.embedding.data = paging->embedding_for_kernels();
  gate->point_all();
  choose_submission();
  return {};
}

}  // namespace assay::engine
