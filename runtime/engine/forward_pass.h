// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The operators of one pass, in order, submitted to a stream.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

#include "runtime/engine/activations.h"
#include "runtime/engine/resident_model.h"
#include "runtime/engine/submitter.h"
#include "runtime/engine/weight_paging.h"
#include "runtime/kv/kv_cache.h"
#include "runtime/telemetry/result.h"

namespace assay::engine {

/// What a pass submitted, by the submitting side's own reckoning.
struct pass_tally {
  std::int64_t launches = 0;
  std::int64_t weight_bytes = 0;  ///< each operator's weights once; one embedding row a token
  std::int64_t kv_read_bytes = 0;
  std::int64_t kv_append_bytes = 0;
  std::int64_t kv_append_copies = 0;
};

struct pass_shape {
  std::uint32_t tokens = 0;
  std::uint32_t start = 0;         ///< position of the first token
  bool is_every_position = false;  ///< logits of each position, not of the last alone
};

/// Where a pass copies what tests look at; null members are left out.
struct pass_capture {
  std::vector<float*> hidden;  ///< host, (tokens, hidden) each: after embed, then after each layer
  float* final_norm = nullptr;
};

/// Launches per pass: 6 a layer (norm_qkv, qk_rotary, attention, output_projection, gated_mlp,
/// down_projection) + 2 (embed, head), whatever the architecture: biases are added where norm_qkv
/// writes, and qk_rotary without gains turns only. Copies per pass: 2 a layer and page touched.
/// Ownership: refers to what it is given.
/// Ranges: expects `compute` to be open; opens `kv_append` around the copies into pages.
class forward_pass {
 public:
  /// `paging` brings weights to their operators; null where all are resident.
  forward_pass(const resident_model& model, const activations& buffers, const kv::kv_cache& cache,
               submitter& stream, weight_paging* paging)
      : model_(model), buffers_(buffers), cache_(cache), stream_(stream), paging_(paging) {}

  /// Submits everything and returns. `runs` says where the step's keys and values go; `logits` is
  /// device memory, (positions, vocab_rows).
  result<pass_tally> submit(const pass_shape& shape, std::span<const kv::page_run> runs,
                            float* logits, const pass_capture& capture);

 private:
  result<void> layer(std::uint32_t index, std::span<const kv::page_run> runs);
  result<void> embed();
  result<void> project_qkv(const layer_weights& weights);
  result<void> append(std::uint32_t index, std::span<const kv::page_run> runs);
  result<void> attend(std::uint32_t index);
  result<void> mlp(const layer_weights& weights);
  result<void> head(float* logits);
  /// Before the operator's arguments are made: they hold its weights' addresses.
  result<void> await_weights();
  result<void> launch_on(const device::kernel& what,
                         std::initializer_list<const ops::weight*> weights);
  result<void> launch(const device::kernel& what, std::uint64_t weight_bytes);
  result<void> copy_out(float* to, const float* from, std::uint64_t rows);

  const resident_model& model_;
  const activations& buffers_;
  const kv::kv_cache& cache_;
  submitter& stream_;
  weight_paging* paging_;
  pass_shape shape_;
  pass_tally tally_;
};

}  // namespace assay::engine
