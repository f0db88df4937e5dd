// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/engine/cuda/weight_gate.h"

#include "runtime/engine/cuda/gpu_weights.h"

namespace assay::engine {

bool weight_gate::has(graph::weight_operator what) const {
  return what != graph::weight_operator::heads || model_.config.has_qk_norm;
}

void weight_gate::point_all() {
  for (graph::decode_weights* plan : plans_) {
    plan->embedding = model_.embedding.data;
    plan->final_norm = model_.final_norm.data;
    plan->head = model_.head.data;
    for (std::size_t i = 0; i < plan->layers.size(); ++i)
      plan->layers[i] = layer_of(model_.layers[i], plan->layers[i].pages);
  }
}

result<bool> weight_gate::before(graph::weight_operator what, std::uint32_t layer) {
  if (!has(what)) return false;
  ASSAY_TRY(paging_.before_operator(compute_));
  if (!paging_.is_copied()) return false;
  for (graph::decode_weights* plan : plans_) {
    plan->final_norm = model_.final_norm.data;
    plan->head = model_.head.data;
    if (what != graph::weight_operator::head)
      plan->layers[layer] = layer_of(model_.layers[layer], plan->layers[layer].pages);
  }
  return true;
}

result<void> weight_gate::after(graph::weight_operator what, std::uint32_t) {
  return has(what) ? paging_.after_operator(compute_) : result<void>{};
}

}  // namespace assay::engine
