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

// Every weight is resident, and a kernel reads the embedding's rows where they lie.
constexpr counter_id of_limits[] = {
    counter_id::paging_budget_bytes,    counter_id::paging_staging_bytes,
    counter_id::paging_resident_bytes,  counter_id::paging_resident_count,
    counter_id::paging_admitted_bytes,  counter_id::paging_admitted_count,
    counter_id::paging_evicted_bytes,   counter_id::paging_evictions_count,
    counter_id::paging_lookups_count,   counter_id::paging_lookup_bytes,
    counter_id::paging_hits_count,      counter_id::paging_hit_bytes,
    counter_id::paging_count_hit_ratio, counter_id::paging_byte_hit_ratio,
    counter_id::paging_page_ins_count,  counter_id::paging_h2d_bytes,
    counter_id::paging_staged_bytes,    counter_id::paging_prefetch_waste_bytes,
    counter_id::paging_h2d_ns,          counter_id::paging_h2d_bytes_per_s,
    counter_id::paging_stall_ns,        counter_id::paging_overlap_ratio,
    counter_id::embedding_h2d_bytes,    counter_id::embedding_h2d_copies_count};

}  // namespace

void gpu_engine::state::mark_absent() {
  constexpr std::string_view no_logits = "the head's kernel chooses; logits stay on the GPU";
  constexpr std::string_view no_choices = "logits go to the host, which draws";
  counters.mark_not_applicable(counter_id::kv_append_copies_count,
                               "attention appends inside its kernel; there are no copies");
  counters.mark_not_applicable(counter_id::kv_reused_tokens,
                               "a GPU keeps no prompt for later ones");
  for (const counter_id id : of_limits)
    counters.mark_not_applicable(id, "a GPU holds every weight; nothing is streamed");
  if (is_drawn) {
    for (const counter_id id : {counter_id::choices_d2h_bytes, counter_id::choices_d2h_copies_count,
                                counter_id::choices_d2h_ns})
      counters.mark_not_applicable(id, no_choices);
    return;
  }
  for (const counter_id id : {counter_id::logits_d2h_bytes, counter_id::logits_d2h_copies_count,
                              counter_id::logits_d2h_ns, counter_id::sampling_host_ns})
    counters.mark_not_applicable(id, no_logits);
}

gpu_engine::gpu_engine(std::unique_ptr<state> made) : state_(std::move(made)) {}
gpu_engine::~gpu_engine() = default;

result<std::unique_ptr<gpu_engine>> gpu_engine::load(const std::filesystem::path& folder,
                                                     device::device& on, device::cuda_device& gpu,
                                                     telemetry::counter_writer& counters,
                                                     const engine_options& options,
                                                     const gpu_engine_options& gpu_options) {
  const host_time entry = host_now();
  ASSAY_TRY_ASSIGN(auto made, open(folder, on, gpu, counters, options, gpu_options));
  made->mark_absent();
  counters.add(counter_id::checkpoint_load_ns, host_now() - entry);
  return std::unique_ptr<gpu_engine>(new gpu_engine(std::move(made)));
}

// The mapping is closed again when this returns: what is resident no longer needs the file.
result<std::unique_ptr<gpu_engine::state>> gpu_engine::open(const std::filesystem::path& folder,
                                                            device::device& on,
                                                            device::cuda_device& gpu,
                                                            telemetry::counter_writer& counters,
                                                            const engine_options& options,
                                                            const gpu_engine_options& gpu_options) {
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
                   device::pinned_buffer::create(state::most_steps * sizeof(std::int32_t)));
  auto made = std::make_unique<state>(on, gpu, counters, std::move(model), std::move(cache),
                                      std::move(compute), std::move(chosen), plan.context_tokens);
  ASSAY_TRY(made->open(plan.shape, plan.context_tokens, gpu_options));
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

bool gpu_engine::has_passes() const {
  return state_->pass.refused_reason().empty();
}

std::vector<engine_fact> gpu_engine::facts() const {
  const graph::graph_tally& steps = state_->step->tally();
  std::string words = "none ran yet";
  if (!steps.eager_reason.empty()) words = "kernel by kernel: " + steps.eager_reason;
  if (steps.kernel_nodes > 0)
    words = "replays of a graph of " + std::to_string(steps.kernel_nodes) + " kernels";
  return {{"prompts", state_->pass.words()}, {"decode steps", words}};
}

}  // namespace assay::engine
