// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// A random model on the GPU, and the same model in double on the host.
#pragma once

#include <memory>
#include <vector>

#include "runtime/graph/decode_step.h"
#include "tests/gpu/reference.h"
#include "tests/gpu/tensors.h"

namespace assay::test {

struct small_layer {
  tensor input_norm, q, k, v, q_norm, k_norm, o, mlp_norm, gate, up, down;
  device_array<std::byte> pages;
};

/// Owns everything that a decode_step points to.
class small_model {
 public:
  small_model(const graph::decode_shape& shape, std::vector<std::int32_t> prompt,
              std::uint64_t seed);

  graph::decode_step step(const ops::cuda::launch_site& site) const;
  const graph::decode_shape& shape() const { return shape_; }
  graph::decode_weights weights() const;
  graph::decode_buffers buffers() const;
  /// Back to the first token of the prompt.
  void rewind() const;
  /// Cached rows become no numbers.
  void forget() const;
  std::vector<float> logits() const { return logits_.host(); }
  std::vector<std::int32_t> chosen() const { return chosen_.host(); }
  ops::cuda::decode_state state() const { return state_.host()[0]; }

  /// Logits of the token at each position, in double; cached rows are rounded as the GPU keeps
  /// them.
  std::vector<reference::row> reference_logits(const std::vector<std::int32_t>& tokens) const;

 private:
  small_layer random_layer(std::mt19937_64& random) const;
  reference::row reference_layer(const small_layer& layer, reference::row x,
                                 std::vector<reference::row>& keys,
                                 std::vector<reference::row>& values) const;

  graph::decode_shape shape_;
  std::vector<std::int32_t> prompt_;
  std::mt19937_64 random_;
  tensor embedding_, final_norm_, head_;
  std::vector<small_layer> layers_;
  std::vector<float> frequencies_;
  device_array<float> x_, qkv_, mixed_, gated_, logits_, device_frequencies_;
  device_array<std::uint32_t> table_;
  device_array<ops::cuda::decode_state> state_;
  device_array<std::int32_t> chosen_, forced_;
};

}  // namespace assay::test
