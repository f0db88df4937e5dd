// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/engine/cuda/gpu_engine.h"

#include <string>
#include <string_view>

#include "runtime/checkpoint/checkpoint.h"
#include "runtime/engine/cuda/gpu_engine_state.h"
#include "runtime/engine/cuda/gpu_shape.h"
#include "runtime/engine/memory_need.h"
#include "runtime/engine/published_checkpoint.h"
#include "runtime/memory/arena.h"

namespace assay::engine {
namespace {

using telemetry::counter_id;

/// The one type of all weights. Errors: unusable_input, naming a tensor of another.
result<ops::cuda::element> element_of(const checkpoint::checkpoint& from) {
  const auto tensors = checkpoint::expected_tensors(from.config());
  const checkpoint::dtype type = from.weights().find(tensors.front().name)->type;
  for (const auto& tensor : tensors)
    if (from.weights().find(tensor.name)->type != type)
      return ASSAY_FAIL(unusable_input, tensor.name +
                                            " has another type than the weights before it; a GPU "
                                            "takes one type a model: use --device host");
  switch (type) {
    case checkpoint::dtype::bf16:
      return ops::cuda::element::bf16;
    case checkpoint::dtype::f16:
      return ops::cuda::element::f16;
    case checkpoint::dtype::f32:
      return ops::cuda::element::f32;
  }
  return ASSAY_FAIL(unusable_input, "the weights have a type that no kernel of the GPU reads");
}

/// What loading decides before anything is copied.
struct gpu_plan {
  kv::kv_layout layout;
  graph::decode_shape shape;
  std::uint32_t context_tokens = 0;
};

result<gpu_plan> plan_of(const checkpoint::checkpoint& from, const engine_options& options) {
  const checkpoint::model_config& config = from.config();
  ASSAY_TRY(check_covered(config));
  gpu_plan plan;
  ASSAY_TRY_ASSIGN(const ops::cuda::element type, element_of(from));
  ASSAY_TRY_ASSIGN(plan.layout, layout_of(config, options));
  plan.layout.element_bytes = ops::cuda::bytes_of(type);
  plan.context_tokens = context_of(config, options);
  plan.shape = shape_of(config, options.kv_page_tokens, plan.context_tokens, type);
  return plan;
}

result<void> check_fits(const checkpoint::checkpoint& from, const gpu_plan& plan,
                        std::uint64_t limit_bytes) {
  graph::decode_buffers buffers;
  const memory_need need{resident_model::needed_bytes(from),
                         memory::granted_bytes(plan.layout.total_bytes()),
                         carve(nullptr, plan.shape, buffers)};
  return check_fits(need, limit_bytes, "GPU memory",
                    "free memory on the GPU, or load with a shorter context or a smaller model");
}

// What a run on this device cannot have. A request's marks go with it.
void mark_absent(telemetry::counter_writer& counters) {
  constexpr std::string_view no_logits = "the head's kernel chooses; logits stay on the GPU";
  for (const counter_id id : {counter_id::logits_d2h_bytes, counter_id::logits_d2h_copies_count,
                              counter_id::logits_d2h_ns})
    counters.mark_not_applicable(id, no_logits);
  counters.mark_not_applicable(counter_id::sampling_host_ns, no_logits);
  counters.mark_not_applicable(counter_id::kv_append_copies_count,
                               "attention appends inside its kernel; there are no copies");
  counters.mark_not_applicable(counter_id::kv_reused_tokens, "a GPU keeps no prompt for later ones");
}

}  // namespace

gpu_engine::gpu_engine(std::unique_ptr<state> made) : state_(std::move(made)) {}
gpu_engine::~gpu_engine() = default;

result<std::unique_ptr<gpu_engine>> gpu_engine::load(const std::filesystem::path& folder,
                                                     device::device& on, device::cuda_device& gpu,
                                                     telemetry::counter_writer& counters,
                                                     const engine_options& options) {
  const host_time entry = host_now();
  ASSAY_TRY_ASSIGN(auto made, open(folder, on, gpu, counters, options));
  mark_absent(counters);
  counters.add(counter_id::checkpoint_load_ns, host_now() - entry);
  return std::unique_ptr<gpu_engine>(new gpu_engine(std::move(made)));
}

// The mapping is closed again when this returns: what is resident no longer needs the file.
result<std::unique_ptr<gpu_engine::state>> gpu_engine::open(const std::filesystem::path& folder,
                                                            device::device& on,
                                                            device::cuda_device& gpu,
                                                            telemetry::counter_writer& counters,
                                                            const engine_options& options) {
  ASSAY_TRY_ASSIGN(const checkpoint::checkpoint opened, checkpoint::checkpoint::open(folder));
  ASSAY_TRY_ASSIGN(const gpu_plan plan, plan_of(opened, options));
  ASSAY_TRY(check_fits(opened, plan, on.memory_limit_bytes()));
  publish_checkpoint(opened, counters);
  ASSAY_TRY_ASSIGN(
      resident_model model,
      resident_model::upload(opened, memory::arena::create(on, counters), on, counters));
  ASSAY_TRY_ASSIGN(kv::kv_cache cache, kv::kv_cache::create(*model.arena, counters, plan.layout));
  ASSAY_TRY_ASSIGN(submitter compute, submitter::create(on, counters));
  ASSAY_TRY_ASSIGN(device::pinned_buffer chosen,
                   device::pinned_buffer::create(sizeof(std::int32_t)));
  auto made = std::make_unique<state>(on, gpu, counters, std::move(model), std::move(cache),
                                      std::move(compute), std::move(chosen), plan.context_tokens);
  ASSAY_TRY(made->open(plan.shape));
  return made;
}

const checkpoint::model_config& gpu_engine::config() const {
  return state_->model.config;
}

const std::byte* gpu_engine::embedding_address() const {
  return state_->model.embedding.data;
}

device::stream gpu_engine::compute_stream() const {
  return state_->compute.stream();
}

std::uint32_t gpu_engine::kv_pages_by_walk() const {
  return state_->cache.live_pages_by_walk();
}

std::uint32_t gpu_engine::kv_shared_pages_by_walk() const {
  return state_->cache.shared_pages_by_walk();
}

const std::byte* gpu_engine::step_count_address() const {
  return reinterpret_cast<const std::byte*>(&state_->buffers.state->steps);
}

const std::string& gpu_engine::eager_reason() const {
  return state_->step->tally().eager_reason;
}

result<void> gpu_engine::begin_request(std::span<const std::int32_t> prompt,
                                       const request_options& options) {
  state& s = *state_;
  if (options.temperature != 0.0)
    return ASSAY_FAIL(
        usage,
        "temperature above 0: a GPU decodes greedily; leave --temperature out, or use "
        "--device host");
  if (options.keeps_prompt)
    return ASSAY_FAIL(usage, "a GPU keeps no prompt for later ones; use --device host");
  ASSAY_TRY(s.flow.begin(prompt, options));
  s.ids.assign(prompt.begin(), prompt.end());
  mark_absent(s.counters);
  s.counters.add(counter_id::sampling_random_draws_count, 0);
  return {};
}

result<step_result> gpu_engine::prefill() {
  state& s = *state_;
  ASSAY_TRY(s.flow.begin_prefill());
  ASSAY_TRY_ASSIGN(const std::int32_t token, s.run(s.flow.prompt_tokens()));
  return s.flow.end_prefill(token, s.cache.cached_tokens());
}

result<step_result> gpu_engine::decode_step() {
  state& s = *state_;
  ASSAY_TRY(s.flow.begin_step());
  ASSAY_TRY_ASSIGN(const std::int32_t token, s.run(1));
  return s.flow.end_step(token, s.cache.cached_tokens());
}

result<void> gpu_engine::end_request() {
  state& s = *state_;
  ASSAY_TRY(s.flow.end());
  s.cache.release();
  s.counters.set(counter_id::engine_context_tokens, 0);
  return {};
}

}  // namespace assay::engine
