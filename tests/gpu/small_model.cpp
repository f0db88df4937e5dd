// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/gpu/small_model.h"

#include <cmath>
#include <stdexcept>
#include <utility>

namespace assay::test {

using reference::row;

namespace {

std::vector<float> angles(std::uint32_t head_dim) {
  std::vector<float> frequencies(head_dim / 2);
  for (std::uint32_t i = 0; i < frequencies.size(); ++i)
    frequencies[i] = static_cast<float>(std::pow(1e4, -2.0 * i / head_dim));
  return frequencies;
}

std::vector<std::uint32_t> reversed_table(std::uint32_t pages) {
  std::vector<std::uint32_t> table(pages);
  for (std::uint32_t i = 0; i < pages; ++i) table[i] = pages - 1 - i;
  return table;
}

tensor matrix(const graph::decode_shape& shape, std::uint32_t rows, std::uint32_t columns,
              std::mt19937_64& random) {
  const double scale = 2.5 / std::sqrt(columns);
  return random_tensor(shape.type, std::size_t{rows} * columns, -scale, scale, random);
}

tensor gain(const graph::decode_shape& shape, std::uint32_t count, std::mt19937_64& random) {
  return random_tensor(shape.type, count, 0.5, 1.5, random);
}

void add(row& to, const row& from) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] += from[i];
}

}  // namespace

small_model::small_model(const graph::decode_shape& shape, std::vector<std::int32_t> prompt,
                         std::uint64_t seed)
    : shape_(shape),
      prompt_(std::move(prompt)),
      random_(seed),
      embedding_(matrix(shape, shape.vocab_rows, shape.hidden, random_)),
      final_norm_(gain(shape, shape.hidden, random_)),
      head_(matrix(shape, shape.vocab_rows, shape.hidden, random_)),
      frequencies_(angles(shape.head_dim)),
      x_(shape.hidden),
      qkv_((shape.heads + 2 * shape.kv_heads) * shape.head_dim),
      mixed_(shape.heads * shape.head_dim),
      gated_(shape.intermediate),
      logits_(shape.vocab_rows),
      device_frequencies_(frequencies_),
      table_(reversed_table(shape.context_pages)),
      state_(1),
      chosen_(shape.context_pages * shape.page_tokens),
      forced_(prompt_) {
  for (std::uint32_t i = 0; i < shape.layers; ++i) layers_.push_back(random_layer(random_));
  rewind();
}

small_layer small_model::random_layer(std::mt19937_64& random) const {
  const std::uint32_t q_rows = shape_.heads * shape_.head_dim;
  const std::uint32_t kv_rows = shape_.kv_heads * shape_.head_dim;
  return {gain(shape_, shape_.hidden, random),
          matrix(shape_, q_rows, shape_.hidden, random),
          matrix(shape_, kv_rows, shape_.hidden, random),
          matrix(shape_, kv_rows, shape_.hidden, random),
          gain(shape_, shape_.head_dim, random),
          gain(shape_, shape_.head_dim, random),
          matrix(shape_, shape_.hidden, q_rows, random),
          gain(shape_, shape_.hidden, random),
          matrix(shape_, shape_.intermediate, shape_.hidden, random),
          matrix(shape_, shape_.intermediate, shape_.hidden, random),
          matrix(shape_, shape_.hidden, shape_.intermediate, random),
          device_array<std::byte>(shape_.layer_page_bytes())};
}

graph::decode_step small_model::step(const ops::cuda::launch_site& site) const {
  return {shape_, weights(), buffers(), site};
}

graph::decode_weights small_model::weights() const {
  graph::decode_weights all;
  all.embedding = embedding_.device.data();
  all.final_norm = final_norm_.device.data();
  all.head = head_.device.data();
  for (const small_layer& from : layers_) {
    graph::decode_layer to;
    to.input_norm = from.input_norm.device.data();
    to.q = from.q.device.data();
    to.k = from.k.device.data();
    to.v = from.v.device.data();
    to.q_norm = from.q_norm.device.data();
    to.k_norm = from.k_norm.device.data();
    to.o = from.o.device.data();
    to.mlp_norm = from.mlp_norm.device.data();
    to.gate = from.gate.device.data();
    to.up = from.up.device.data();
    to.down = from.down.device.data();
    to.pages = from.pages.data();
    all.layers.push_back(to);
  }
  return all;
}

graph::decode_buffers small_model::buffers() const {
  return {x_.data(),     qkv_.data(),    mixed_.data(),
          gated_.data(), logits_.data(), device_frequencies_.data(),
          table_.data(), state_.data(),  chosen_.data(),
          forced_.data()};
}

void small_model::forget() const {
  for (const small_layer& layer : layers_)
    if (cudaMemset(layer.pages.data(), 0xff, layer.pages.size()) != cudaSuccess)
      throw std::runtime_error("cudaMemset of a small model's pages");
}

void small_model::rewind() const {
  const ops::cuda::decode_state first{prompt_[0], 0, 0,
                                      0,          0, static_cast<std::uint32_t>(prompt_.size())};
  (void)cudaMemcpy(state_.data(), &first, sizeof first, cudaMemcpyHostToDevice);
}

row small_model::reference_layer(const small_layer& layer, row x, std::vector<row>& keys,
                                 std::vector<row>& values) const {
  const auto position = static_cast<std::uint32_t>(keys.size());
  const row normed = reference::norm(x, layer.input_norm.values, shape_.eps);
  row q = reference::product(layer.q.values, normed);
  row k = reference::product(layer.k.values, normed);
  row v = reference::product(layer.v.values, normed);
  reference::norm_heads(q, shape_.head_dim, layer.q_norm.values, shape_.eps);
  reference::norm_heads(k, shape_.head_dim, layer.k_norm.values, shape_.eps);
  reference::rotate(q, shape_.head_dim, frequencies_, position);
  reference::rotate(k, shape_.head_dim, frequencies_, position);
  for (double& value : k) value = rounded(shape_.type, value);
  for (double& value : v) value = rounded(shape_.type, value);
  keys.push_back(k);
  values.push_back(v);
  add(x, reference::product(layer.o.values, reference::attend(q, keys, values, shape_.heads,
                                                              shape_.kv_heads, shape_.head_dim)));
  const row mlp = reference::norm(x, layer.mlp_norm.values, shape_.eps);
  add(x, reference::product(layer.down.values,
                            reference::silu_times(reference::product(layer.gate.values, mlp),
                                                  reference::product(layer.up.values, mlp))));
  return x;
}

std::vector<row> small_model::reference_logits(const std::vector<std::int32_t>& tokens) const {
  std::vector<row> logits;
  std::vector<std::vector<row>> keys(shape_.layers);
  std::vector<std::vector<row>> values(shape_.layers);
  for (const std::int32_t token : tokens) {
    const auto at = embedding_.values.begin() + std::ptrdiff_t{token} * shape_.hidden;
    row x(at, at + shape_.hidden);
    for (std::uint32_t i = 0; i < shape_.layers; ++i)
      x = reference_layer(layers_[i], std::move(x), keys[i], values[i]);
    logits.push_back(
        reference::product(head_.values, reference::norm(x, final_norm_.values, shape_.eps)));
  }
  return logits;
}

}  // namespace assay::test
