// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The bytes that a scenario must move, before anything runs: the ledger's closed forms summed over
// its requests. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "scenarios/gpu_ledger.h"
#include "scenarios/ledger.h"
#include "scenarios/paging_ledger.h"

namespace assay::scenarios {

/// Bytes of a whole scenario, the load of the checkpoint not included.
struct expected_traffic {
  std::int64_t passes_count = 0;       ///< prefills and decode steps
  std::int64_t weight_read_bytes = 0;  ///< by kernels, each operator's weights once a pass
  std::int64_t kv_read_bytes = 0;
  std::int64_t kv_append_bytes = 0;
  std::int64_t h2d_bytes = 0;  ///< token ids, page-ins, and on a GPU the rest of a step's inputs
  std::int64_t d2h_bytes = 0;  ///< logits, or ids that a GPU chose
};

/// Of the host device, or of a GPU in a mode.
expected_traffic traffic_of(const model_shape& model, const cache_shape& cache,
                            std::span<const request_shape> requests,
                            const std::optional<gpu_mode>& on_gpu = {},
                            const paging_shape* paging = nullptr);

}  // namespace assay::scenarios
