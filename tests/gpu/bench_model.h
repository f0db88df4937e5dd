// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// A model of random weights at a published shape, made on the GPU.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <cuda_runtime_api.h>

#include "runtime/graph/decode_step.h"
#include "runtime/telemetry/result.h"

namespace assay::bench {

struct model_shape {
  std::string name;
  graph::decode_shape decode;
  bool has_qk_norm = false;
  bool is_head_tied = false;
};

/// Llama-3-8B, Llama-3.2-1B and Qwen3-0.6B, bf16, as their config.json have them.
std::vector<model_shape> published_shapes();

/// Bytes of weights that a step reads: each matrix once, one row of an embedding table that is not
/// the head.
std::uint64_t step_weight_bytes(const model_shape& shape);
/// Bytes of cached rows that a step reads with `tokens` tokens cached before it.
std::uint64_t step_kv_bytes(const model_shape& shape, std::uint64_t tokens);

/// Owns the device memory of a model.
class bench_model {
 public:
  static result<bench_model> create(cudaStream_t on, const model_shape& shape);
  ~bench_model();
  bench_model(bench_model&& other) noexcept;
  bench_model(const bench_model&) = delete;
  bench_model& operator=(const bench_model&) = delete;

  graph::decode_step step(const ops::cuda::launch_site& site) const;
  const graph::decode_weights& weights() const { return weights_; }
  /// Its prompt, random ids, fills the context; a step's state counts none of them as forced.
  const graph::decode_buffers& buffers() const { return buffers_; }
  /// Sets the position, on the stream.
  result<void> seek(cudaStream_t on, std::uint32_t position) const;
  result<ops::cuda::decode_state> state() const;
  std::uint64_t allocated_bytes() const { return allocated_bytes_; }

 private:
  explicit bench_model(model_shape shape) : shape_(std::move(shape)) {}
  result<void*> take(std::uint64_t bytes);
  result<void*> matrix(cudaStream_t on, std::uint64_t rows, std::uint64_t columns);
  result<void*> ones(cudaStream_t on, std::uint64_t count);
  result<graph::decode_layer> layer(cudaStream_t on);
  result<void> fill(cudaStream_t on);
  result<void> fill_buffers(cudaStream_t on);
  result<void> fill_prompt();

  model_shape shape_;
  graph::decode_weights weights_;
  graph::decode_buffers buffers_;
  std::vector<void*> taken_;
  std::uint64_t allocated_bytes_ = 0;
  std::uint32_t seed_ = 0;
};

}  // namespace assay::bench
