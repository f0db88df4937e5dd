// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/gpu/bench_model.h"

#include <cmath>
#include <numeric>
#include <random>
#include <utility>

#include "runtime/device/cuda/cuda_try.h"
#include "tests/gpu/bench_kernels.h"

namespace assay::bench {
namespace {

graph::decode_shape decode_shape(std::uint32_t hidden, std::uint32_t intermediate,
                                 std::uint32_t layers, std::uint32_t heads, std::uint32_t head_dim,
                                 std::uint32_t vocab_rows, float eps) {
  graph::decode_shape shape;
  shape.hidden = hidden;
  shape.intermediate = intermediate;
  shape.layers = layers;
  shape.heads = heads;
  shape.kv_heads = 8;
  shape.head_dim = head_dim;
  shape.vocab_rows = vocab_rows;
  shape.page_tokens = 16;
  shape.context_pages = 272;  // 4,352 tokens
  shape.eps = eps;
  return shape;
}

}  // namespace

std::vector<model_shape> published_shapes() {
  return {{"qwen3-0.6b", decode_shape(1024, 3072, 28, 16, 128, 151936, 1e-6F), true, true},
          {"llama-3.2-1b", decode_shape(2048, 8192, 16, 32, 64, 128256, 1e-5F), false, true},
          {"llama-3-8b", decode_shape(4096, 14336, 32, 32, 128, 128256, 1e-5F), false, false}};
}

std::uint64_t step_weight_bytes(const model_shape& shape) {
  const graph::decode_shape& d = shape.decode;
  const std::uint64_t hidden = d.hidden;
  const std::uint64_t q_rows = std::uint64_t{d.heads} * d.head_dim;
  const std::uint64_t kv_rows = std::uint64_t{d.kv_heads} * d.head_dim;
  std::uint64_t layer = hidden * (2 * q_rows + 2 * kv_rows + 3 * std::uint64_t{d.intermediate});
  layer += 2 * hidden + (shape.has_qk_norm ? 2 * std::uint64_t{d.head_dim} : 0);
  const std::uint64_t ends = hidden * d.vocab_rows + 2 * hidden;  // head, final norm, one token
  return (d.layers * layer + ends) * ops::cuda::bytes_of(d.type);
}

std::uint64_t step_kv_bytes(const model_shape& shape, std::uint64_t tokens) {
  const graph::decode_shape& d = shape.decode;
  return tokens * 2 * d.kv_heads * d.head_dim * d.layers * ops::cuda::bytes_of(d.type);
}

result<bench_model> bench_model::create(cudaStream_t on, const model_shape& shape) {
  bench_model model(shape);
  ASSAY_TRY(model.fill(on));
  ASSAY_TRY(model.fill_buffers(on));
  ASSAY_CUDA_TRY(cudaStreamSynchronize(on));
  return model;
}

bench_model::bench_model(bench_model&& other) noexcept
    : shape_(std::move(other.shape_)),
      weights_(std::move(other.weights_)),
      buffers_(other.buffers_),
      taken_(std::exchange(other.taken_, {})),
      allocated_bytes_(other.allocated_bytes_) {}

bench_model::~bench_model() {
  for (void* each : taken_) (void)cudaFree(each);
}

result<void*> bench_model::take(std::uint64_t bytes) {
  void* at = nullptr;
  ASSAY_CUDA_TRY(cudaMalloc(&at, bytes));
  taken_.push_back(at);
  allocated_bytes_ += bytes;
  return at;
}

result<void*> bench_model::matrix(cudaStream_t on, std::uint64_t rows, std::uint64_t columns) {
  ASSAY_TRY_ASSIGN(void* at, take(rows * columns * 2));
  const auto scale = static_cast<float>(1.7 / std::sqrt(static_cast<double>(columns)));
  ASSAY_CUDA_TRY(fill_random(on, at, rows * columns * 2, scale, ++seed_));
  return at;
}

result<void*> bench_model::ones(cudaStream_t on, std::uint64_t count) {
  ASSAY_TRY_ASSIGN(void* at, take(count * 2));
  ASSAY_CUDA_TRY(fill_ones(on, at, count * 2));
  return at;
}

result<graph::decode_layer> bench_model::layer(cudaStream_t on) {
  const graph::decode_shape& d = shape_.decode;
  const std::uint64_t q_rows = std::uint64_t{d.heads} * d.head_dim;
  const std::uint64_t kv_rows = std::uint64_t{d.kv_heads} * d.head_dim;
  graph::decode_layer made;
  ASSAY_TRY_ASSIGN(made.input_norm, ones(on, d.hidden));
  // One after the other, as a checkpoint's upload lays them.
  ASSAY_TRY_ASSIGN(void* qkv, matrix(on, q_rows + 2 * kv_rows, d.hidden));
  made.q = qkv;
  made.k = static_cast<const std::byte*>(made.q) + q_rows * d.hidden * 2;
  made.v = static_cast<const std::byte*>(made.k) + kv_rows * d.hidden * 2;
  if (shape_.has_qk_norm) {
    ASSAY_TRY_ASSIGN(made.q_norm, ones(on, d.head_dim));
    ASSAY_TRY_ASSIGN(made.k_norm, ones(on, d.head_dim));
  }
  ASSAY_TRY_ASSIGN(made.o, matrix(on, d.hidden, q_rows));
  ASSAY_TRY_ASSIGN(made.mlp_norm, ones(on, d.hidden));
  ASSAY_TRY_ASSIGN(void* gate_up, matrix(on, 2 * std::uint64_t{d.intermediate}, d.hidden));
  made.gate = gate_up;
  made.up = static_cast<const std::byte*>(made.gate) + std::uint64_t{d.intermediate} * d.hidden * 2;
  ASSAY_TRY_ASSIGN(made.down, matrix(on, d.hidden, d.intermediate));
  ASSAY_TRY_ASSIGN(made.pages, take(d.layer_page_bytes()));
  ASSAY_CUDA_TRY(fill_random(on, made.pages, d.layer_page_bytes(), 1.0F, ++seed_));
  return made;
}

result<void> bench_model::fill(cudaStream_t on) {
  const graph::decode_shape& d = shape_.decode;
  ASSAY_TRY_ASSIGN(weights_.embedding, matrix(on, d.vocab_rows, d.hidden));
  weights_.head = weights_.embedding;
  if (!shape_.is_head_tied) {
    ASSAY_TRY_ASSIGN(weights_.head, matrix(on, d.vocab_rows, d.hidden));
  }
  ASSAY_TRY_ASSIGN(weights_.final_norm, ones(on, d.hidden));
  for (std::uint32_t i = 0; i < d.layers; ++i) {
    ASSAY_TRY_ASSIGN(graph::decode_layer made, layer(on));
    weights_.layers.push_back(made);
  }
  return {};
}

result<void> bench_model::fill_buffers(cudaStream_t on) {
  const graph::decode_shape& d = shape_.decode;
  const auto floats = [&](std::uint64_t count) -> result<float*> {
    ASSAY_TRY_ASSIGN(void* at, take(count * sizeof(float)));
    return static_cast<float*>(at);
  };
  ASSAY_TRY_ASSIGN(buffers_.x, floats(d.hidden));
  ASSAY_TRY_ASSIGN(buffers_.qkv, floats(std::uint64_t{d.heads + 2 * d.kv_heads} * d.head_dim));
  ASSAY_TRY_ASSIGN(buffers_.mixed, floats(std::uint64_t{d.heads} * d.head_dim));
  ASSAY_TRY_ASSIGN(buffers_.gated, floats(d.intermediate));
  ASSAY_TRY_ASSIGN(buffers_.logits, floats(d.vocab_rows));
  ASSAY_TRY_ASSIGN(float* angles, floats(d.head_dim / 2));
  std::vector<float> frequencies(d.head_dim / 2);
  for (std::size_t i = 0; i < frequencies.size(); ++i)
    frequencies[i] = static_cast<float>(std::pow(5e5, -2.0 * static_cast<double>(i) / d.head_dim));
  ASSAY_CUDA_TRY(cudaMemcpy(angles, frequencies.data(), frequencies.size() * sizeof(float),
                            cudaMemcpyHostToDevice));
  buffers_.frequencies = angles;
  std::vector<std::uint32_t> pages(d.context_pages);
  std::iota(pages.begin(), pages.end(), 0U);
  ASSAY_TRY_ASSIGN(void* table, take(pages.size() * sizeof(std::uint32_t)));
  ASSAY_CUDA_TRY(cudaMemcpy(table, pages.data(), pages.size() * sizeof(std::uint32_t),
                            cudaMemcpyHostToDevice));
  buffers_.table = static_cast<const std::uint32_t*>(table);
  ASSAY_TRY_ASSIGN(void* state, take(sizeof(ops::cuda::decode_state)));
  buffers_.state = static_cast<ops::cuda::decode_state*>(state);
  ASSAY_TRY_ASSIGN(void* chosen, take(std::uint64_t{d.context_pages} * d.page_tokens * 4));
  buffers_.chosen = static_cast<std::int32_t*>(chosen);
  ASSAY_TRY(fill_prompt());
  return seek(on, 0);
}

result<void> bench_model::fill_prompt() {
  const graph::decode_shape& d = shape_.decode;
  std::vector<std::int32_t> ids(std::size_t{d.context_pages} * d.page_tokens);
  std::mt19937 random(7);
  for (std::int32_t& id : ids) id = static_cast<std::int32_t>(random() % d.vocab_rows);
  ASSAY_TRY_ASSIGN(void* at, take(ids.size() * sizeof(std::int32_t)));
  ASSAY_CUDA_TRY(
      cudaMemcpy(at, ids.data(), ids.size() * sizeof(std::int32_t), cudaMemcpyHostToDevice));
  buffers_.forced = static_cast<const std::int32_t*>(at);
  return {};
}

graph::decode_step bench_model::step(const ops::cuda::launch_site& site) const {
  return {shape_.decode, weights_, buffers_, site};
}

result<void> bench_model::seek(cudaStream_t on, std::uint32_t position) const {
  const ops::cuda::decode_state state{17, static_cast<std::int32_t>(position), 0, 0, 0, 0};
  ASSAY_CUDA_TRY(cudaMemcpyAsync(buffers_.state, &state, sizeof state, cudaMemcpyHostToDevice, on));
  ASSAY_CUDA_TRY(cudaStreamSynchronize(on));
  return {};
}

result<ops::cuda::decode_state> bench_model::state() const {
  ops::cuda::decode_state state;
  ASSAY_CUDA_TRY(cudaMemcpy(&state, buffers_.state, sizeof state, cudaMemcpyDeviceToHost));
  return state;
}

}  // namespace assay::bench
