// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/engine/cuda/gpu_weights.h"

namespace assay::engine {

graph::decode_layer layer_of(const layer_weights& from, void* pages) {
  graph::decode_layer layer;
  layer.input_norm = from.input_norm.data;
  layer.q = from.q.data;
  layer.k = from.k.data;
  layer.v = from.v.data;
  layer.q_bias = from.q_bias.data;
  layer.k_bias = from.k_bias.data;
  layer.v_bias = from.v_bias.data;
  layer.q_norm = from.q_norm.data;
  layer.k_norm = from.k_norm.data;
  layer.o = from.o.data;
  layer.mlp_norm = from.mlp_norm.data;
  layer.gate = from.gate.data;
  layer.up = from.up.data;
  layer.down = from.down.data;
  layer.pages = pages;
  return layer;
}

graph::decode_weights weights_of(const resident_model& model, const kv::kv_cache& cache) {
  graph::decode_weights weights;
  weights.embedding = model.embedding.data;
  weights.final_norm = model.final_norm.data;
  weights.head = model.head.data;
  for (std::uint32_t i = 0; i < model.layers.size(); ++i)
    weights.layers.push_back(layer_of(model.layers[i], cache.layer(i)));
  return weights;
}

std::int64_t layer_bytes_of(const resident_model& model) {
  std::uint64_t bytes = 0;
  for (const layer_weights& l : model.layers)
    for (const ops::weight* each :
         {&l.input_norm, &l.q, &l.k, &l.v, &l.q_bias, &l.k_bias, &l.v_bias, &l.q_norm, &l.k_norm,
          &l.o, &l.mlp_norm, &l.gate, &l.up, &l.down})
      bytes += each->bytes();
  return static_cast<std::int64_t>(bytes);
}

std::int64_t end_bytes_of(const resident_model& model) {
  return static_cast<std::int64_t>(model.embedding.row_bytes() + model.final_norm.bytes() +
                                   model.head.bytes());
}

}  // namespace assay::engine
