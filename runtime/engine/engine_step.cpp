// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// One step: inputs in, operators, logits out, one wait, counters.
#include <cstring>
#include <utility>

#include "runtime/engine/engine_state.h"
#include "runtime/telemetry/range.h"

namespace assay::engine {

using telemetry::counter_id;

engine::state::state(device::device& device, telemetry::counter_writer& writer,
                     resident_model weights, kv::kv_cache pages, activations memory,
                     submitter stream, std::uint32_t context_tokens)
    : on(device),
      counters(writer),
      model(std::move(weights)),
      cache(std::move(pages)),
      buffers(std::move(memory)),
      compute(std::move(stream)),
      sampler(writer),
      flow(writer, model.config, context_tokens),
      logits(model.config.vocab_rows) {}

engine::state::~state() {
  if (compute.has_pending()) (void)compute.synchronize();
}

step_plan engine::state::plan_for(std::uint32_t tokens) {
  return {{tokens, cache.cached_tokens(), false}, buffers.logits, logits, {}};
}

result<void> engine::state::run(const step_plan& plan) {
  pass_tally tally;
  auto submitted = submit(plan, tally);
  // Waits even where a submission was refused: `ids` and the capture are being read and written.
  auto waited = compute.synchronize();
  auto outcome = !submitted ? submitted : !waited ? waited : publish(plan, tally);
  if (!outcome && paging) paging->abandon_pass(compute);
  return outcome;
}

result<void> engine::state::submit(const step_plan& plan, pass_tally& tally) {
  page_copies copies(compute);
  ASSAY_TRY_ASSIGN(const auto runs, cache.extend(plan.shape.tokens, copies));
  if (paging) ASSAY_TRY(gather_rows(plan.shape.tokens));
  ASSAY_TRY(submit_inputs(plan.shape.tokens));
  if (paging) ASSAY_TRY(submit_rows(plan.shape.tokens));
  {
    const device::scoped_range label(on, telemetry::range::compute);
    forward_pass pass(model, buffers, cache, compute, paging.get());
    ASSAY_TRY(compute.record(compute_span.before));
    if (paging) ASSAY_TRY(paging->begin_pass(compute_span.before));
    ASSAY_TRY_ASSIGN(tally, pass.submit(plan.shape, runs, plan.device_logits, plan.capture));
    ASSAY_TRY(compute.record(compute_span.after));
  }
  return submit_logits(plan);
}

result<void> engine::state::submit_inputs(std::uint32_t tokens) {
  const device::scoped_range label(on, telemetry::range::inputs);
  const std::uint64_t bytes = tokens * sizeof(std::int32_t);
  ASSAY_TRY(compute.record(inputs_span.before));
  ASSAY_TRY(compute.copy(buffers.ids, ids.data(), bytes, device::copy_direction::h2d));
  counters.add(counter_id::inputs_h2d_bytes, static_cast<std::int64_t>(bytes));
  counters.add(counter_id::inputs_h2d_copies_count, 1);
  return compute.record(inputs_span.after);
}

// A row is copied and not looked up: the table stays on the host, and what the device gets is a
// table of this step's rows alone, of which token t reads row t. It lies where the first norm will
// write, which nothing has read by then.
result<void> engine::state::gather_rows(std::uint32_t tokens) {
  // Behind the end of a file that was cut the mapping has no page to read from.
  ASSAY_TRY(paging->check_files());
  const auto table = paging->embedding_on_host();
  const std::uint64_t row_bytes = model.embedding.row_bytes();
  rows.resize(tokens * row_bytes);
  for (std::uint32_t t = 0; t < tokens; ++t) {
    const std::uint64_t from = static_cast<std::uint64_t>(ids[t]) * row_bytes;
    std::memcpy(rows.data() + t * row_bytes, table.data() + from, row_bytes);
    ids[t] = static_cast<std::int32_t>(t);
  }
  return {};
}

result<void> engine::state::submit_rows(std::uint32_t tokens) {
  const device::scoped_range label(on, telemetry::range::embedding);
  const std::uint64_t bytes = tokens * model.embedding.row_bytes();
  ASSAY_TRY(compute.copy(buffers.normed, rows.data(), bytes, device::copy_direction::h2d));
  counters.add(counter_id::embedding_h2d_bytes, static_cast<std::int64_t>(bytes));
  counters.add(counter_id::embedding_h2d_copies_count, 1);
  return {};
}

result<void> engine::state::submit_logits(const step_plan& plan) {
  const device::scoped_range label(on, telemetry::range::logits);
  const std::uint64_t bytes = plan.host_logits.size_bytes();
  ASSAY_TRY(compute.record(logits_span.before));
  ASSAY_TRY(compute.copy(plan.host_logits.data(), plan.device_logits, bytes,
                         device::copy_direction::d2h));
  counters.add(counter_id::logits_d2h_bytes, static_cast<std::int64_t>(bytes));
  counters.add(counter_id::logits_d2h_copies_count, 1);
  return compute.record(logits_span.after);
}

result<void> engine::state::publish(const step_plan& plan, const pass_tally& tally) {
  counters.add(counter_id::compute_launches_count, tally.launches);
  counters.add(counter_id::compute_weight_bytes, tally.weight_bytes);
  counters.add(counter_id::kv_append_bytes, tally.kv_append_bytes);
  counters.add(counter_id::kv_append_copies_count, tally.kv_append_copies);
  counters.add(counter_id::kv_read_bytes, tally.kv_read_bytes);
  counters.set(counter_id::engine_context_tokens, plan.shape.start + plan.shape.tokens);
  ASSAY_TRY_ASSIGN(const std::int64_t inputs_ns, compute.elapsed_ns(inputs_span));
  ASSAY_TRY_ASSIGN(const std::int64_t compute_ns, compute.elapsed_ns(compute_span));
  ASSAY_TRY_ASSIGN(const std::int64_t logits_ns, compute.elapsed_ns(logits_span));
  counters.add(counter_id::inputs_h2d_ns, inputs_ns);
  counters.add(counter_id::compute_device_ns, compute_ns);
  counters.add(counter_id::logits_d2h_ns, logits_ns);
  if (paging) return paging->publish_pass(compute, compute_ns);
  // Measured: every weight is resident, and no row of the table leaves the device.
  for (const counter_id id :
       {counter_id::paging_page_ins_count, counter_id::paging_h2d_bytes,
        counter_id::embedding_h2d_copies_count, counter_id::embedding_h2d_bytes})
    counters.add(id, 0);
  return {};
}

void engine::state::end_sequence() {
  cache.release();
  counters.set(counter_id::engine_context_tokens, 0);
}

}  // namespace assay::engine
