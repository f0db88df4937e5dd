// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The ledger of a run on a GPU: what differs from the host's, where a step is a graph of fused
// kernels, attention appends by itself, and the head's kernel chooses. Closed forms; nothing of the
// engine's is asked.
#pragma once

#include <cstdint>
#include <vector>

#include "scenarios/ledger.h"

namespace assay::scenarios {

/// Kernels that one position takes.
std::int64_t gpu_launches_per_position(const model_shape& model);

/// What the runtime takes of the device: weights and pages in the weights' type, and one buffer of
/// activations, each part of it on a boundary of 256 bytes.
arena_shape gpu_arena_of(const model_shape& model, const cache_shape& cache);
/// Bytes of one KV page over all layers.
std::int64_t gpu_kv_page_bytes(const model_shape& model, const cache_shape& cache);

std::vector<expectation> expect_gpu_load(const model_shape& model, const cache_shape& cache);
/// `is_first`: of the process; its first step captures the graph that serves all.
std::vector<expectation> expect_gpu_request(const model_shape& model, const cache_shape& cache,
                                            const request_shape& request, bool is_first);

}  // namespace assay::scenarios
