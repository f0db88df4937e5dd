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
  /// Of the head's operator: passes over the first chunks of a long prompt go without it.
  std::int64_t head_bytes = 0;
  std::int64_t head_weights = 0;
  std::int64_t head_streamed_bytes = 0;
  std::int64_t head_streamed_weights = 0;
  /// Matrices of one input are one product where they lie one behind the other: so many products a
  /// GPU makes of q, k and v, and of gate and up, of all layers.
  std::int64_t input_products = 0;

  std::int64_t streamed_bytes() const { return step_bytes - resident_bytes; }
  std::int64_t streamed_weights() const { return step_weights - resident_weights; }
};

/// None where the limit does not hold a step.
std::optional<paging_shape> paging_of(const model_shape& model, const cache_shape& cache,
                                      const limit_shape& limit);

/// The same of weights alone: what a budget makes of them, whatever is beside them.
std::optional<paging_shape> paging_within(const model_shape& model, std::int64_t budget_bytes);

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

/// What the passes of a request ask for and page in.
struct paging_traffic {
  std::int64_t lookups_count = 0;
  std::int64_t lookup_bytes = 0;
  std::int64_t page_ins_count = 0;
  std::int64_t page_in_bytes = 0;
  std::int64_t streamed_operators = 0;  ///< each once a pass

  std::int64_t events() const;
};
/// What follows for the counters of a request, and for those of the load.
void add_traffic(std::vector<expectation>& to, const paging_shape& paging,
                 const paging_traffic& traffic);
void add_placement(std::vector<expectation>& to, const paging_shape& paging);

/// h2d of a run over the link: R once, W - R in each pass.
std::int64_t paged_h2d_bytes(const paging_shape& paging, std::int64_t passes);

}  // namespace assay::scenarios
