// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// A checkpoint on a GPU, greedy, one sequence.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "runtime/checkpoint/checkpoint.h"
#include "runtime/device/cuda/cuda_device.h"
#include "runtime/engine/cuda/gpu_prefill.h"
#include "runtime/engine/cuda/gpu_weights.h"
#include "runtime/graph/captured_step.h"
#include "runtime/graph/decode_step.h"
#include "runtime/telemetry/result.h"

namespace assay::engine {

struct gpu_options {
  std::uint32_t context_tokens = 0;  ///< 0 takes the checkpoint's own maximum
  std::uint32_t page_tokens = 16;
  bool is_eager = false;  ///< kernel by kernel, for a comparison with the graph
  gpu_prefill_options prefill{};
};

/// Steps are enqueued as replays of one graph; nobody waits between two of them. Enough tokens of a
/// prompt go through a prefill pass together; fewer, or all where prefill() says why there is no
/// pass, through the same steps, a token each.
/// Cached rows are of the weights' type; the host device keeps f32. Writes no counter yet.
/// Ownership: the device outlives it; it owns its memory. Threads: one.
/// Errors: unusable_input: an empty prompt, an id outside the vocabulary, more steps than the
/// context has room for, logits that are no numbers; out_of_memory; the device's own.
class gpu_decoder {
 public:
  static result<std::unique_ptr<gpu_decoder>> load(const checkpoint::checkpoint& from,
                                                   device::cuda_device& on,
                                                   const gpu_options& options);
  ~gpu_decoder();
  gpu_decoder(const gpu_decoder&) = delete;
  gpu_decoder& operator=(const gpu_decoder&) = delete;

  /// Starts a sequence. The prompt is copied before this returns.
  result<void> begin(std::span<const std::int32_t> prompt);
  /// Enqueues steps and returns. Each takes the next token of the prompt, then what was chosen.
  /// Those of them that the prompt feeds may become one prefill pass.
  result<void> enqueue(std::uint32_t steps);
  /// Waits for what is enqueued; the ids chosen after each position from `first` on. A pass chooses
  /// after its last token alone: positions before that one are refused.
  result<std::vector<std::int32_t>> chosen(std::uint32_t first);
  /// Waits; logits of the last step. Shape: (vocab_rows) f32.
  result<std::vector<float>> logits();

  std::uint32_t enqueued_steps() const { return enqueued_; }
  std::uint32_t context_tokens() const { return context_tokens_; }
  const graph::graph_tally& tally() const { return step_->tally(); }
  const gpu_prefill& prefill() const { return prefill_; }
  std::uint32_t launches_per_step() const { return plan_->launches(); }
  device::stream stream() const { return stream_; }

 private:
  explicit gpu_decoder(device::cuda_device& on) : device_(on) {}
  result<void> open(const checkpoint::checkpoint& from, const gpu_options& options);
  result<void> take_buffers(const checkpoint::model_config& config);
  result<void> copy_in(void* to, const void* from, std::uint64_t bytes);
  result<void> copy_out(void* to, const void* from, std::uint64_t bytes);

  device::cuda_device& device_;
  device::stream stream_;
  gpu_weights weights_;
  graph::decode_shape shape_;
  graph::decode_buffers buffers_;
  gpu_buffer memory_;
  std::uint32_t context_tokens_ = 0;
  std::uint32_t enqueued_ = 0;
  std::uint32_t prompt_tokens_ = 0;
  std::uint32_t first_choice_ = 0;
  std::unique_ptr<graph::decode_step> plan_;
  std::unique_ptr<graph::captured_step> step_;
  gpu_prefill prefill_;
};

}  // namespace assay::engine
