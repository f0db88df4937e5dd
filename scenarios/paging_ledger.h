// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What a limit on device memory makes of a run: which weights stay, which are streamed, and what
// follows for every step. Closed forms of headers, config and limit; nothing of the runtime's is
// asked.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "scenarios/ledger.h"

namespace assay::scenarios {

/// The limit as the run was given it.
struct limit_shape {
  std::int64_t limit_bytes = 0;
  std::int64_t reserved_bytes = 0;  ///< of it, for the observer's buffers
};

/// W, R, B and S of docs/memory.md, and what a step has to copy. The embedding is among the weights
/// only where it is the head.
struct paging_shape {
  std::int64_t budget_bytes = 0;   ///< B
  std::int64_t staging_bytes = 0;  ///< S; 0 where everything stays
  std::int64_t step_bytes = 0;     ///< W
  std::int64_t step_weights = 0;
  std::int64_t resident_bytes = 0;  ///< R
  std::int64_t resident_weights = 0;
  std::int64_t resident_placed_bytes = 0;  ///< R, each weight on a boundary of its own
  std::int64_t streamed_operators = 0;
  std::int64_t largest_weight_bytes = 0;

  std::int64_t streamed_bytes() const { return step_bytes - resident_bytes; }
  std::int64_t streamed_weights() const { return step_weights - resident_weights; }
};

/// None where the limit does not hold a step.
std::optional<paging_shape> paging_of(const model_shape& model, const cache_shape& cache,
                                      const limit_shape& limit);

/// What the runtime takes of the arena under a limit; the weights' share is what stays and the
/// staging area.
arena_shape paged_arena_of(const model_shape& model, const cache_shape& cache,
                           const paging_shape& paging);

std::vector<expectation> expect_paged_load(const model_shape& model, const cache_shape& cache,
                                           const paging_shape& paging);
std::vector<expectation> expect_paged_request(const model_shape& model, const cache_shape& cache,
                                              const request_shape& request,
                                              const paging_shape& paging);
std::vector<expectation> expect_paged_unload(const paging_shape& paging);

/// h2d of a run over the link: R once, W - R in each pass.
std::int64_t paged_h2d_bytes(const paging_shape& paging, std::int64_t passes);

}  // namespace assay::scenarios
