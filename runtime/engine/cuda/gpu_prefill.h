// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Prefill of a decoder, where this machine has what it needs; the reason, where not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "runtime/engine/cuda/weight_gate.h"
#include "runtime/graph/prefill_pass.h"
#include "runtime/memory/arena.h"
#include "runtime/telemetry/result.h"

namespace assay::engine {

struct gpu_prefill_options {
  /// So many tokens or more go through a pass; 0: none do. A pass of 4 to 32 tokens takes 2.0
  /// to 2.2 ms on the 0.6B shape, 1.4 on the 1B and 4.9 to 5.1 on the 8B one, a step 0.6, 0.8
  /// and 3.9 (H200).
  std::uint32_t from_tokens = 8;
  std::uint32_t chunk_tokens = 2048;  ///< of a pass's scratch memory
};

/// Scratch memory, a handle of cuBLAS, and the pass. Without one of them it has no pass, says why,
/// and the engine goes token by token.
/// Ownership: its scratch; everything that it is opened with outlives it. Threads: one.
class gpu_prefill {
 public:
  /// What a pass works on besides its own memory.
  struct parts {
    graph::decode_shape shape;
    graph::decode_weights weights;
    graph::decode_buffers buffers;
    ops::cuda::launch_site site;
    std::uint32_t context_tokens = 0;
  };

  /// Of scratch, for a pass; 0 where none could run.
  static std::uint64_t needed_bytes(const graph::decode_shape& shape, std::uint32_t context_tokens,
                                    const gpu_prefill_options& options);

  static gpu_prefill open(memory::arena& from, parts of, const gpu_prefill_options& options);
  /// The same on memory of the caller's, of needed_bytes().
  static gpu_prefill on_memory(std::byte* scratch, parts of, const gpu_prefill_options& options);

  /// Why no pass can run; empty where passes run.
  const std::string& refused_reason() const { return refused_reason_; }
  /// Whether so many tokens go through a pass.
  bool takes(std::uint32_t tokens) const;
  /// Chunks that so many tokens go through in: each reads every layer's weights.
  std::uint32_t chunks_of(std::uint32_t tokens) const {
    return (tokens + chunk_tokens_ - 1) / chunk_tokens_;
  }
  /// As graph::prefill_pass.
  void enqueue_through(graph::enqueue_function enqueue);
  result<void> run(std::uint32_t first, std::uint32_t tokens);
  /// A chunk of them, and behind the last the head.
  result<void> run_part(std::uint32_t first, std::uint32_t tokens, bool is_last);
  std::uint32_t chunk_tokens() const { return chunk_tokens_; }
  void bring_weights_by(weight_gate& gate);

  /// How prompts go in, or why one token at a time, in words.
  std::string words() const;

 private:
  void open_with(const gpu_prefill_options& options, const std::function<result<void>()>& prepared);
  result<void> allocate(memory::arena& from, const parts& of, const gpu_prefill_options& options);
  result<void> prepare(std::byte* scratch, parts of);

  std::uint32_t from_tokens_ = 0;
  std::uint32_t chunk_tokens_ = 1;
  std::string refused_reason_;
  memory::device_buffer scratch_;
  std::unique_ptr<graph::prefill_pass> pass_;
};

}  // namespace assay::engine
