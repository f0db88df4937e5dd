// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/engine/forward_pass.h"

#include "runtime/ops/attention.h"
#include "runtime/ops/embed.h"
#include "runtime/ops/gated_mlp.h"
#include "runtime/ops/head.h"
#include "runtime/ops/projection.h"
#include "runtime/ops/rotary.h"
#include "runtime/telemetry/range.h"

namespace assay::engine {
namespace {

ops::rotary_scaling scaling_of(const checkpoint::model_config& config) {
  if (!config.rope_scaling) return {};
  const checkpoint::llama3_scaling& s = *config.rope_scaling;
  return {static_cast<float>(s.factor), static_cast<float>(s.low_freq_factor),
          static_cast<float>(s.high_freq_factor), static_cast<float>(s.original_context_tokens)};
}

}  // namespace

result<pass_tally> forward_pass::submit(const pass_shape& shape, std::span<const kv::page_run> runs,
                                        float* logits, const pass_capture& capture) {
  shape_ = shape;
  tally_ = {};
  ASSAY_TRY(embed());
  if (!capture.hidden.empty()) ASSAY_TRY(copy_out(capture.hidden[0], buffers_.x, shape_.tokens));
  for (std::uint32_t i = 0; i < model_.config.layer_count; ++i) {
    ASSAY_TRY(layer(i, runs));
    if (!capture.hidden.empty())
      ASSAY_TRY(copy_out(capture.hidden[i + 1], buffers_.x, shape_.tokens));
  }
  ASSAY_TRY(head(logits));
  if (capture.final_norm != nullptr)
    ASSAY_TRY(copy_out(capture.final_norm, buffers_.normed, shape_.tokens));
  return tally_;
}

result<void> forward_pass::layer(std::uint32_t index, std::span<const kv::page_run> runs) {
  const layer_weights& weights = model_.layers[index];
  ASSAY_TRY(project_qkv(weights));
  ASSAY_TRY(append(index, runs));
  ASSAY_TRY(attend(index));
  ASSAY_TRY(await_weights());
  ASSAY_TRY(launch_on(
      ops::project_add("output_projection", {buffers_.mixed, weights.o, buffers_.x, shape_.tokens}),
      {&weights.o}));
  return mlp(weights);
}

result<void> forward_pass::embed() {
  const checkpoint::model_config& c = model_.config;
  return launch(ops::embed({buffers_.ids, model_.embedding, buffers_.x, buffers_.rotary,
                            shape_.tokens, shape_.start, c.head_dim, c.rope_theta, scaling_of(c)}),
                shape_.tokens * model_.embedding.row_bytes());
}

result<void> forward_pass::project_qkv(const layer_weights& w) {
  const checkpoint::model_config& c = model_.config;
  const auto eps = static_cast<float>(c.rms_norm_eps);
  ASSAY_TRY(await_weights());
  ASSAY_TRY(launch_on(
      ops::norm_qkv({buffers_.x, buffers_.normed, w.input_norm, w.q, w.k, w.v, w.q_bias, w.k_bias,
                     w.v_bias, buffers_.q, buffers_.k, buffers_.v, shape_.tokens, eps}),
      {&w.input_norm, &w.q, &w.k, &w.v, &w.q_bias, &w.k_bias, &w.v_bias}));
  const auto rotate = [&] {
    return ops::qk_rotary({buffers_.q, buffers_.k, w.q_norm, w.k_norm, buffers_.rotary,
                           shape_.tokens, c.head_count, c.kv_head_count, c.head_dim, eps});
  };
  // Without gains it turns only, and asks for no weight.
  if (w.q_norm.bytes() == 0) return launch(rotate(), 0);
  ASSAY_TRY(await_weights());
  return launch_on(rotate(), {&w.q_norm, &w.k_norm});
}

result<void> forward_pass::append(std::uint32_t index, std::span<const kv::page_run> runs) {
  const device::scoped_range label(stream_.device(), telemetry::range::kv_append);
  const kv::kv_layout& layout = cache_.layout();
  const std::uint64_t token_bytes = layout.token_bytes();
  const std::uint64_t values_offset = layout.page_tokens * token_bytes;
  const auto* keys = reinterpret_cast<const std::byte*>(buffers_.k);
  const auto* values = reinterpret_cast<const std::byte*>(buffers_.v);
  for (const kv::page_run& run : runs) {
    std::byte* to = cache_.layer(index) + run.page * layout.page_bytes() + run.slot * token_bytes;
    const std::uint64_t from = run.first_token * token_bytes;
    const std::uint64_t bytes = run.tokens * token_bytes;
    ASSAY_TRY(stream_.copy(to, keys + from, bytes, device::copy_direction::d2d));
    ASSAY_TRY(stream_.copy(to + values_offset, values + from, bytes, device::copy_direction::d2d));
    tally_.kv_append_bytes += static_cast<std::int64_t>(2 * bytes);
    tally_.kv_append_copies += 2;
  }
  return {};
}

result<void> forward_pass::attend(std::uint32_t index) {
  const checkpoint::model_config& c = model_.config;
  const ops::page_view pages{reinterpret_cast<const float*>(cache_.layer(index)), cache_.table(),
                             cache_.layout().page_tokens};
  ASSAY_TRY(launch(ops::attention({buffers_.q, buffers_.mixed, pages, shape_.tokens, shape_.start,
                                   c.head_count, c.kv_head_count, c.head_dim}),
                   0));
  // Query token t sees start + t + 1 rows: an arithmetic series.
  const std::uint64_t n = shape_.tokens;
  const std::uint64_t rows = n * shape_.start + n * (n + 1) / 2;
  tally_.kv_read_bytes += static_cast<std::int64_t>(rows * 2 * cache_.layout().token_bytes());
  return {};
}

result<void> forward_pass::mlp(const layer_weights& w) {
  const auto eps = static_cast<float>(model_.config.rms_norm_eps);
  ASSAY_TRY(await_weights());
  ASSAY_TRY(launch_on(ops::gated_mlp({buffers_.x, buffers_.normed, w.mlp_norm, w.gate, w.up,
                                      buffers_.gate, buffers_.up, shape_.tokens, eps}),
                      {&w.mlp_norm, &w.gate, &w.up}));
  ASSAY_TRY(await_weights());
  return launch_on(
      ops::project_add("down_projection", {buffers_.gate, w.down, buffers_.x, shape_.tokens}),
      {&w.down});
}

result<void> forward_pass::head(float* logits) {
  const std::uint32_t positions = shape_.is_every_position ? shape_.tokens : 1;
  const std::uint64_t first = shape_.tokens - positions;
  const float* x = buffers_.x + first * model_.config.hidden_size;
  ASSAY_TRY(await_weights());
  return launch_on(ops::head({x, buffers_.normed, model_.final_norm, model_.head, logits, positions,
                              static_cast<float>(model_.config.rms_norm_eps)}),
                   {&model_.final_norm, &model_.head});
}

result<void> forward_pass::await_weights() {
  return paging_ == nullptr ? result<void>{} : paging_->before_operator(stream_);
}

result<void> forward_pass::launch_on(const device::kernel& what,
                                     std::initializer_list<const ops::weight*> weights) {
  std::uint64_t bytes = 0;
  for (const ops::weight* each : weights) bytes += each->bytes();
  ASSAY_TRY(launch(what, bytes));
  return paging_ == nullptr ? result<void>{} : paging_->after_operator(stream_);
}

result<void> forward_pass::launch(const device::kernel& what, std::uint64_t weight_bytes) {
  ASSAY_TRY(stream_.launch(what));
  ++tally_.launches;
  tally_.weight_bytes += static_cast<std::int64_t>(weight_bytes);
  return {};
}

result<void> forward_pass::copy_out(float* to, const float* from, std::uint64_t rows) {
  return stream_.copy(to, from, rows * model_.config.hidden_size * sizeof(float),
                      device::copy_direction::d2h);
}

}  // namespace assay::engine
