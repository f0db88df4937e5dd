// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "scenarios/traffic.h"

namespace assay::scenarios {

expected_traffic traffic_of(const model_shape& model, const cache_shape& cache,
                            std::span<const request_shape> requests,
                            const std::optional<gpu_mode>& on_gpu, const paging_shape* paging) {
  using id = telemetry::counter_id;
  expected_traffic sum;
  for (const request_shape& request : requests) {
    sum.passes_count += 1 + request.decode_steps;
    for (const expectation& each : on_gpu   ? expect_gpu_request(model, cache, request, *on_gpu)
                                   : paging ? expect_paged_request(model, cache, request, *paging)
                                            : expect_request(model, cache, request)) {
      if (each.counter == id::compute_weight_bytes) sum.weight_read_bytes += each.value;
      if (each.counter == id::kv_read_bytes) sum.kv_read_bytes += each.value;
      if (each.counter == id::kv_append_bytes) sum.kv_append_bytes += each.value;
      if (each.counter == id::inputs_h2d_bytes) sum.h2d_bytes += each.value;
      if (each.counter == id::paging_h2d_bytes) sum.h2d_bytes += each.value;
      if (each.counter == id::embedding_h2d_bytes) sum.h2d_bytes += each.value;
      if (each.counter == id::logits_d2h_bytes) sum.d2h_bytes += each.value;
      if (each.counter == id::choices_d2h_bytes) sum.d2h_bytes += each.value;
    }
  }
  return sum;
}

}  // namespace assay::scenarios
