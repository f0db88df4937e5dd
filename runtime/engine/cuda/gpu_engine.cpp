// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/engine/cuda/gpu_engine.h"

#include <string>
#include <string_view>

#include "runtime/checkpoint/checkpoint.h"
#include "runtime/engine/cuda/gpu_engine_state.h"
#include "runtime/engine/cuda/gpu_plan.h"
#include "runtime/engine/cuda/pinned_weights.h"
#include "runtime/engine/published_checkpoint.h"
#include "runtime/memory/arena.h"

namespace assay::engine {
namespace {

using telemetry::counter_id;

// A limit above what the GPU has is no limit, and a wrong figure behind it.
result<void> check_limit(const memory_plan& plan) {
  if (*plan.limit_bytes > plan.device_bytes)
    return ASSAY_FAIL(usage, "memory limit: " + std::to_string(*plan.limit_bytes) +
                                 " bytes are more than the GPU's " +
                                 std::to_string(plan.device_bytes) + "; give less");
  return check_plan(plan);
}

// Without a limit every weight is resident.
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
    counter_id::paging_stall_ns,        counter_id::paging_overlap_ratio};

// A kernel reads the embedding's rows where they lie: on the GPU, or in page-locked host memory.
constexpr counter_id of_rows[] = {counter_id::embedding_h2d_bytes,
                                  counter_id::embedding_h2d_copies_count};

}  // namespace

void gpu_engine::state::mark_absent() {
  constexpr std::string_view no_logits = "the head's kernel chooses; logits stay on the GPU";
  constexpr std::string_view no_choices = "logits go to the host, which draws";
  counters.mark_not_applicable(counter_id::kv_append_copies_count,
                               "attention appends inside its kernel; there are no copies");
  counters.mark_not_applicable(counter_id::kv_reused_tokens,
                               "a GPU keeps no prompt for later ones");
  for (const counter_id id : of_rows)
    counters.mark_not_applicable(id, "kernels of a GPU read rows where the table lies");
  if (!paging)
    for (const counter_id id : of_limits)
      counters.mark_not_applicable(id, "without a limit a GPU holds every weight");
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

// Without a limit the mapping is closed again when this returns: what is resident no longer needs
// the file.
result<std::unique_ptr<gpu_engine::state>> gpu_engine::open(const std::filesystem::path& folder,
                                                            device::device& on,
                                                            device::cuda_device& gpu,
                                                            telemetry::counter_writer& counters,
                                                            const engine_options& options,
                                                            const gpu_engine_options& gpu_options) {
  ASSAY_TRY_ASSIGN(checkpoint::checkpoint opened, checkpoint::checkpoint::open(folder));
  ASSAY_TRY_ASSIGN(const device::device_memory has, gpu.memory());
  ASSAY_TRY_ASSIGN(const gpu_plan plan, plan_gpu(opened, options, gpu_options, has.total_bytes));
  resident_model model;
  if (plan.memory) {
    ASSAY_TRY(check_limit(*plan.memory));
    gpu.limit_memory(*plan.memory->limit_bytes - plan.memory->reserved_bytes);
    publish_checkpoint(opened, counters);
    model = resident_model::described(opened);
    model.arena = memory::arena::create(on, counters);
  } else {
    ASSAY_TRY(check_fits(opened, plan, on.memory_limit_bytes()));
    publish_checkpoint(opened, counters);
    ASSAY_TRY_ASSIGN(
        model, resident_model::upload(opened, memory::arena::create(on, counters), on, counters));
  }
  ASSAY_TRY_ASSIGN(kv::kv_cache cache, kv::kv_cache::create(*model.arena, counters, plan.layout));
  ASSAY_TRY_ASSIGN(submitter compute, submitter::create(on, counters));
  ASSAY_TRY_ASSIGN(device::pinned_buffer chosen,
                   device::pinned_buffer::create(state::most_steps * sizeof(std::int32_t)));
  auto made = std::make_unique<state>(on, gpu, counters, std::move(model), std::move(cache),
                                      std::move(compute), std::move(chosen), plan.context_tokens);
  ASSAY_TRY(made->open_buffers(plan.shape));
  if (plan.memory)
    ASSAY_TRY(made->open_paging(std::move(opened), *plan.memory, options.residency,
                                gpu_options.most_pinned_bytes));
  ASSAY_TRY(made->open_plans(plan.context_tokens, plan.prefill, gpu_options.is_eager));
  return made;
}

result<void> gpu_engine::change_memory_limit(std::uint64_t limit_bytes) {
  state& s = *state_;
  if (!s.paging)
    return ASSAY_FAIL(usage,
                      "engine: it was loaded without a memory limit, so it has none to change");
  return s.change_limit(limit_bytes);
}

const checkpoint::model_config& gpu_engine::config() const {
  return state_->model.config;
}

const std::byte* gpu_engine::embedding_address() const {
  return state_->paging ? nullptr : state_->model.embedding.data;
}

std::optional<decode_engine::resident_weight> gpu_engine::first_resident() const {
  if (!state_->paging)
    return resident_weight{"model.embed_tokens.weight", state_->model.embedding.data};
  const auto first = state_->paging->first_resident();
  if (!first) return std::nullopt;
  return resident_weight{state_->paging->schedule().weights[first->first].name, first->second};
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
  std::vector<engine_fact> all{{"prompts", state_->pass.words()}, {"decode steps", words}};
  if (state_->paging) all.push_back({"streamed weights", state_->paging->source()->words()});
  return all;
}

}  // namespace assay::engine
