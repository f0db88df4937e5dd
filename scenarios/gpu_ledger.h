// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The ledger of a run on a GPU: what differs from the host's, where a step is a graph of fused
// kernels, attention appends by itself, and the head's kernel chooses. Closed forms; nothing of the
// engine's is asked.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "scenarios/ledger.h"
#include "scenarios/paging_ledger.h"

namespace assay::scenarios {

/// How a run on a GPU goes about a request, as the run was asked to and its machine allows.
struct gpu_mode {
  bool is_first = false;    ///< none before it took a step: the first of the process captures
  bool has_passes = true;   ///< a product library is there, and memory for what a pass writes
  bool is_sampled = false;  ///< temperature above 0: the host draws from logits
  /// Under a limit every prompt goes through a pass; where not all weights stay, steps go kernel by
  /// kernel, and each chunk and each step streams the rest anew.
  std::optional<paging_shape> paging = {};

  bool is_streamed() const { return paging && paging->streamed_bytes() > 0; }
};

/// Kernels that one position takes by a step.
std::int64_t gpu_launches_per_position(const model_shape& model);

/// Positions of a request that steps take, one graph launch each: without passes the prompt's, too.
std::int64_t gpu_steps(const request_shape& request, const gpu_mode& mode);
/// Calls that passes make of a prompt: each own kernel one, each product one. 0 without passes.
std::int64_t gpu_prefill_calls(const model_shape& model, const request_shape& request,
                               const gpu_mode& mode);

/// Chunks and steps of a request: under a limit each streams, and is waited for.
std::int64_t gpu_parts(const request_shape& request, const gpu_mode& mode);
/// Of them, chunks that end with the last layer.
std::int64_t gpu_headless_parts(const request_shape& request, const gpu_mode& mode);
/// Calls that steps make: a replay is one, and under a limit a kernel is.
std::int64_t gpu_step_calls(const model_shape& model, const request_shape& request,
                            const gpu_mode& mode);

/// Kernels of a whole request. A product is one kernel, or one more that adds up a sum that the
/// library split; which, is the library's affair.
struct launch_bounds {
  std::int64_t least = 0;
  std::int64_t most = 0;
};
launch_bounds gpu_launches(const model_shape& model, const request_shape& request,
                           const gpu_mode& mode);

/// Weight bytes that a whole request reads: each step, and each chunk of a pass, every layer's.
std::int64_t gpu_weight_reads(const model_shape& model, const request_shape& request,
                              const gpu_mode& mode);

/// Bytes of the inputs that come with a prompt of no ids: state, frequencies, and its pages'
/// entries of the table.
std::int64_t gpu_input_bytes_beside_ids(const model_shape& model, const cache_shape& cache,
                                        std::int64_t prompt_tokens);

/// What the runtime takes of the device: weights and pages in the weights' type, and activations,
/// each part of them on a boundary of 256 bytes; with passes, what a chunk writes, too.
arena_shape gpu_arena_of(const model_shape& model, const cache_shape& cache, bool has_passes,
                         const std::optional<paging_shape>& paging = {});
/// None where the limit does not hold a step.
std::optional<paging_shape> gpu_paging_of(const model_shape& model, const cache_shape& cache,
                                          const limit_shape& limit, bool has_passes);
/// Bytes of one KV page over all layers.
std::int64_t gpu_kv_page_bytes(const model_shape& model, const cache_shape& cache);

std::vector<expectation> expect_gpu_load(const model_shape& model, const cache_shape& cache,
                                         bool has_passes,
                                         const std::optional<paging_shape>& paging = {});
/// Everything that a request's ledger has one figure for; gpu_launches has two.
std::vector<expectation> expect_gpu_request(const model_shape& model, const cache_shape& cache,
                                            const request_shape& request, const gpu_mode& mode);
/// As expect_unload.
std::vector<expectation> expect_gpu_unload(bool has_passes,
                                           const std::optional<paging_shape>& paging = {});

}  // namespace assay::scenarios
