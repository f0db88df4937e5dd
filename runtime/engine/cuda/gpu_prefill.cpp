// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/engine/cuda/gpu_prefill.h"

#include <algorithm>
#include <utility>

#include "runtime/engine/cuda/carver.h"

namespace assay::engine {
namespace {

struct placed_scratch {
  graph::prefill_buffers buffers;
  void* workspace = nullptr;
  std::uint64_t bytes = 0;
};

placed_scratch place(std::byte* base, const graph::decode_shape& shape, std::uint64_t tokens) {
  const std::uint64_t width = ops::cuda::bytes_of(shape.type);
  const std::uint64_t q_rows = std::uint64_t{shape.heads} * shape.head_dim;
  const std::uint64_t all_rows = std::uint64_t{shape.heads + 2 * shape.kv_heads} * shape.head_dim;
  const std::uint64_t input = std::max<std::uint64_t>(shape.hidden, q_rows);
  carver from(base);
  placed_scratch made;
  made.buffers.x = from.take<float>(tokens * shape.hidden);
  made.buffers.rows = from.take<std::byte>(tokens * input * width);
  made.buffers.qkv = from.take<std::byte>(tokens * all_rows * width);
  made.buffers.gate_up = from.take<std::byte>(tokens * 2 * shape.intermediate * width);
  made.buffers.gated = from.take<std::byte>(tokens * shape.intermediate * width);
  made.workspace = from.take<std::byte>(ops::cuda::matrix_products::workspace_bytes);
  made.bytes = from.used_bytes();
  return made;
}

}  // namespace

std::uint64_t gpu_prefill::needed_bytes(const graph::decode_shape& shape,
                                        std::uint32_t context_tokens,
                                        const gpu_prefill_options& options) {
  if (options.from_tokens == 0 || !ops::cuda::cublas_library::load()) return 0;
  return place(nullptr, shape, std::min(options.chunk_tokens, context_tokens)).bytes;
}

gpu_prefill gpu_prefill::open(memory::arena& from, parts of, const gpu_prefill_options& options) {
  gpu_prefill made;
  made.open_with(options, [&]() -> result<void> {
    ASSAY_TRY(made.allocate(from, of, options));
    return made.prepare(made.scratch_.address(), std::move(of));
  });
  return made;
}

gpu_prefill gpu_prefill::on_memory(std::byte* scratch, parts of,
                                   const gpu_prefill_options& options) {
  gpu_prefill made;
  made.open_with(options, [&]() -> result<void> {
    made.chunk_tokens_ = std::min(options.chunk_tokens, of.context_tokens);
    return made.prepare(scratch, std::move(of));
  });
  return made;
}

void gpu_prefill::open_with(const gpu_prefill_options& options,
                            const std::function<result<void>()>& prepared) {
  from_tokens_ = options.from_tokens;
  if (options.from_tokens == 0) {
    refused_reason_ = "not asked for";
  } else if (const auto ready = prepared(); !ready) {
    pass_ = nullptr;
    scratch_ = {};
    refused_reason_ = ready.error().message;
  }
}

result<void> gpu_prefill::allocate(memory::arena& from, const parts& of,
                                   const gpu_prefill_options& options) {
  ASSAY_TRY(ops::cuda::cublas_library::load());
  chunk_tokens_ = std::min(options.chunk_tokens, of.context_tokens);
  if (chunk_tokens_ == 0) return ASSAY_FAIL(usage, "prefill: a chunk needs 1 token or more");
  ASSAY_TRY_ASSIGN(scratch_, from.allocate(place(nullptr, of.shape, chunk_tokens_).bytes));
  return {};
}

result<void> gpu_prefill::prepare(std::byte* scratch, parts of) {
  const placed_scratch at = place(scratch, of.shape, chunk_tokens_);
  ASSAY_TRY_ASSIGN(auto products, ops::cuda::matrix_products::create(of.site.stream, at.workspace));
  pass_ =
      std::make_unique<graph::prefill_pass>(of.shape, std::move(of.weights), of.buffers, at.buffers,
                                            chunk_tokens_, of.site, std::move(products));
  // cuBLAS takes other kernels for other lengths: what most prompts use is there before the first.
  for (std::uint32_t tokens = from_tokens_; tokens < chunk_tokens_; tokens *= 2)
    ASSAY_TRY(pass_->warm_up(tokens));
  return pass_->warm_up(chunk_tokens_);
}

bool gpu_prefill::takes(std::uint32_t tokens) const {
  return pass_ != nullptr && tokens >= from_tokens_;
}

void gpu_prefill::enqueue_through(graph::enqueue_function enqueue) {
  if (pass_ != nullptr) pass_->enqueue_through(std::move(enqueue));
}

result<void> gpu_prefill::run(std::uint32_t first, std::uint32_t tokens) {
  if (pass_ == nullptr) return ASSAY_FAIL(internal, "no prefill: " + refused_reason_);
  return pass_->submit(first, tokens);
}

result<void> gpu_prefill::run_part(std::uint32_t first, std::uint32_t tokens, bool is_last) {
  if (pass_ == nullptr) return ASSAY_FAIL(internal, "no prefill: " + refused_reason_);
  return pass_->submit_part(first, tokens, is_last);
}

void gpu_prefill::bring_weights_by(weight_gate& gate) {
  if (pass_ == nullptr) return;
  gate.follow(pass_->weights());
  pass_->bring_weights_by(gate);
}

std::string gpu_prefill::words() const {
  if (pass_ == nullptr) return "token by token: " + refused_reason_;
  std::string words = "by passes of " + std::to_string(chunk_tokens_) + " tokens at most, from " +
                      std::to_string(from_tokens_) + " tokens on; products by cuBLAS " +
                      std::to_string(pass_->cublas_version());
  if (!pass_->attention_reason().empty())
    words += "; attention by warps: " + pass_->attention_reason();
  return words;
}

}  // namespace assay::engine
