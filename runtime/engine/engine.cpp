// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/engine/engine.h"

#include <string>
#include <utility>

#include "runtime/checkpoint/checkpoint.h"
#include "runtime/engine/engine_state.h"
#include "runtime/engine/memory_need.h"
#include "runtime/engine/memory_plan.h"
#include "runtime/engine/published_checkpoint.h"
#include "runtime/memory/arena.h"

namespace assay::engine {
namespace {

using telemetry::counter_id;

// The mapping is closed again when this returns: what is resident no longer needs the file.
result<resident_model> load_weights(const checkpoint::checkpoint& opened, device::device& on,
                                    telemetry::counter_writer& counters,
                                    const engine_options& options) {
  ASSAY_TRY_ASSIGN(const kv::kv_layout layout, layout_of(opened.config(), options));
  const memory_need need = need_of(resident_model::needed_bytes(opened), opened.config(), layout,
                                   context_of(opened.config(), options));
  ASSAY_TRY(check_fits(need, on.memory_limit_bytes()));
  publish_checkpoint(opened, counters);
  return resident_model::upload(opened, memory::arena::create(on, counters), on, counters);
}

}  // namespace

engine::engine(std::unique_ptr<state> made) : state_(std::move(made)) {}
engine::~engine() = default;

result<std::unique_ptr<engine>> engine::load(const std::filesystem::path& folder,
                                             device::device& on,
                                             telemetry::counter_writer& counters,
                                             const engine_options& options) {
  const host_time entry = host_now();
  ASSAY_TRY_ASSIGN(auto made, open(folder, on, counters, options));
  counters.add(counter_id::checkpoint_load_ns, host_now() - entry);
  return made;
}

// Without a limit nothing reads the files from here on. To give their mapping back is part of the
// load: after its time was taken, the time would be short by a twentieth.
result<std::unique_ptr<engine>> engine::open(const std::filesystem::path& folder,
                                             device::device& on,
                                             telemetry::counter_writer& counters,
                                             const engine_options& options) {
  ASSAY_TRY_ASSIGN(checkpoint::checkpoint opened, checkpoint::checkpoint::open(folder));
  if (options.memory_limit_bytes) return load_under_limit(std::move(opened), on, counters, options);
  ASSAY_TRY_ASSIGN(resident_model model, load_weights(opened, on, counters, options));
  return start(std::move(model), on, counters, options);
}

// What keeps its size comes first: a change of the limit then finds the rest in one piece.
result<std::unique_ptr<engine>> engine::load_under_limit(checkpoint::checkpoint opened,
                                                         device::device& on,
                                                         telemetry::counter_writer& counters,
                                                         const engine_options& options) {
  if (*options.memory_limit_bytes > on.memory_limit_bytes())
    return ASSAY_FAIL(usage, "memory limit: " + std::to_string(*options.memory_limit_bytes) +
                                 " bytes are more than the device's " +
                                 std::to_string(on.memory_limit_bytes()) + "; give less");
  ASSAY_TRY_ASSIGN(const memory_plan plan, plan_memory(opened.config(), opened.weights(), options,
                                                       on.memory_limit_bytes()));
  ASSAY_TRY(check_plan(plan));
  publish_checkpoint(opened, counters);
  resident_model model = resident_model::described(opened);
  model.arena = memory::arena::create(on, counters);
  const std::shared_ptr<memory::arena> arena = model.arena;
  ASSAY_TRY_ASSIGN(auto made, start(std::move(model), on, counters, options));
  state& s = *made->state_;
  s.beside_weights_bytes = plan.kv_bytes + plan.activations_bytes + plan.reserved_bytes;
  ASSAY_TRY_ASSIGN(s.paging, weight_paging::create(std::move(opened), arena, on, counters,
                                                   plan.budget_bytes, options.residency));
  s.paging->bind(s.model);
  s.model.embedding.data = reinterpret_cast<const std::byte*>(s.buffers.normed);
  s.mark_absent();
  return made;
}

result<void> engine::change_memory_limit(std::uint64_t limit_bytes) {
  state& s = *state_;
  if (!s.paging)
    return ASSAY_FAIL(usage,
                      "engine: it was loaded without a memory limit, so it has none to change");
  if (limit_bytes > s.on.memory_limit_bytes())
    return ASSAY_FAIL(usage, "memory limit: " + std::to_string(limit_bytes) +
                                 " bytes are more than the device's " +
                                 std::to_string(s.on.memory_limit_bytes()) + "; give less");
  return s.paging->change_budget(
      limit_bytes > s.beside_weights_bytes ? limit_bytes - s.beside_weights_bytes : 0);
}

std::optional<decode_engine::resident_weight> engine::first_resident() const {
  if (!state_->paging)
    return resident_weight{"model.embed_tokens.weight", state_->model.embedding.data};
  const auto first = state_->paging->first_resident();
  if (!first) return std::nullopt;
  return resident_weight{state_->paging->schedule().weights[first->first].name, first->second};
}

result<std::unique_ptr<engine>> engine::start(resident_model model, device::device& on,
                                              telemetry::counter_writer& counters,
                                              const engine_options& options) {
  ASSAY_TRY_ASSIGN(const kv::kv_layout layout, layout_of(model.config, options));
  const std::uint32_t context = context_of(model.config, options);
  ASSAY_TRY_ASSIGN(kv::kv_cache cache,
                   kv::kv_cache::create(*model.arena, counters, layout, options.kv_host_pages));
  ASSAY_TRY_ASSIGN(activations buffers, activations::create(*model.arena, model.config, context));
  ASSAY_TRY_ASSIGN(submitter compute, submitter::create(on, counters));
  auto made = std::make_unique<state>(on, counters, std::move(model), std::move(cache),
                                      std::move(buffers), std::move(compute), context);
  ASSAY_TRY_ASSIGN(made->inputs_span, event_pair::create(on));
  ASSAY_TRY_ASSIGN(made->compute_span, event_pair::create(on));
  ASSAY_TRY_ASSIGN(made->logits_span, event_pair::create(on));
  made->ids.reserve(context);
  if (!options.memory_limit_bytes) made->mark_absent();
  return std::unique_ptr<engine>(new engine(std::move(made)));
}

const checkpoint::model_config& engine::config() const {
  return state_->model.config;
}

std::span<const float> engine::logits() const {
  return state_->logits;
}

const std::byte* engine::embedding_address() const {
  return state_->paging ? nullptr : state_->model.embedding.data;
}

device::stream engine::compute_stream() const {
  return state_->compute.stream();
}

std::uint32_t engine::kv_pages_by_walk() const {
  return state_->cache.live_pages_by_walk();
}

std::uint32_t engine::kv_shared_pages_by_walk() const {
  return state_->cache.shared_pages_by_walk();
}

result<forward_capture> engine::forward(std::span<const std::int32_t> ids) {
  state& s = *state_;
  if (s.flow.is_open())
    return ASSAY_FAIL(usage, "engine: a request is open; end it before a pass outside of one");
  ASSAY_TRY(s.flow.check_ids(ids));
  s.ids.assign(ids.begin(), ids.end());
  const auto tokens = static_cast<std::uint32_t>(ids.size());
  const checkpoint::model_config& c = s.model.config;
  forward_capture out;
  out.logits.resize(std::size_t{tokens} * c.vocab_rows);
  out.final_norm.resize(std::size_t{tokens} * c.hidden_size);
  out.hidden.assign(c.layer_count + 1, std::vector<float>(out.final_norm.size()));
  pass_capture capture;
  for (auto& rows : out.hidden) capture.hidden.push_back(rows.data());
  capture.final_norm = out.final_norm.data();
  auto ran = [&]() -> result<void> {
    ASSAY_TRY_ASSIGN(const memory::device_buffer logits,
                     s.model.arena->allocate(out.logits.size() * sizeof(float)));
    return s.run({{tokens, 0, true},
                  reinterpret_cast<float*>(logits.address()),
                  out.logits,
                  std::move(capture)});
  }();
  s.end_sequence();
  if (!ran) return failure(std::move(ran).error());
  return out;
}

}  // namespace assay::engine
