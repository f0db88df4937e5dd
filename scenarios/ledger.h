// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The ledger: what a run must have moved and counted, computed from the checkpoint's header, its
// config and the lengths of the requests. It reads the files with code of its own: were it fed by
// the runtime's reader, a wrong shape would agree with itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "runtime/telemetry/catalog.h"
#include "runtime/telemetry/result.h"

namespace assay::scenarios {

/// What the files say. Sizes in bytes, counts plain; sums over all files of weights.
struct model_shape {
  std::int64_t file_bytes = 0;     ///< 8 + header + payload, from the headers alone
  std::int64_t payload_bytes = 0;  ///< product of each shape times the width of its type
  std::int64_t header_tensor_count = 0;
  std::int64_t vocab_rows = 0;
  std::int64_t hidden = 0;
  std::int64_t intermediate = 0;
  std::int64_t layers = 0;
  std::int64_t heads = 0;
  std::int64_t kv_heads = 0;
  std::int64_t head_dim = 0;
  std::int64_t max_context_tokens = 0;
  bool is_head_tied = false;
  bool has_qkv_bias = false;
  bool has_qk_norm = false;
  std::map<std::string, std::int64_t> width_bytes_of_tensor;  ///< by the headers
};

/// A weight of the architecture, its size from the config.
struct weight_entry {
  std::string name;
  std::int64_t elements = 0;
};

/// Every weight that the architecture has, in no particular order.
std::vector<weight_entry> weights_of(const model_shape& model);

/// The files that hold the weights: model.safetensors where it is there, else those that
/// model.safetensors.index.json names. Errors: unusable_input.
result<std::vector<std::filesystem::path>> weight_files_of(const std::filesystem::path& checkpoint);

/// Errors: io or unusable_input; the runtime refuses the same files with better words before.
result<model_shape> read_model_shape(const std::filesystem::path& checkpoint);

/// The first bytes of the embedding table as they lie in the file, `most_bytes` or all of them:
/// what must lie in device memory once it is resident. Errors: as read_model_shape.
result<std::vector<std::byte>> embedding_head(const std::filesystem::path& checkpoint,
                                              std::int64_t most_bytes);

/// The same of any tensor of the headers.
result<std::vector<std::byte>> tensor_head(const std::filesystem::path& checkpoint,
                                           const std::string& name, std::int64_t most_bytes);

/// How the cache is cut, as the run was asked to.
struct cache_shape {
  std::int64_t context_tokens = 0;
  std::int64_t page_tokens = 0;
};

/// A request as the harness saw it: lengths of what it handed over and of what it asked for.
struct request_shape {
  std::int64_t prompt_tokens = 0;
  std::int64_t decode_steps = 0;
  std::int64_t reused_tokens = 0;  ///< of the prompt, with which a kept one began as well
  bool is_kept = false;            ///< its prompt is kept; none was before
};

/// What of a sequence's pages outlives its request, while the request is open.
struct kept_shape {
  std::int64_t kept_tokens = 0;
  std::int64_t shared_tokens = 0;  ///< of them, those with which the open sequence begins
};

/// What a counter must read over a window, exactly.
struct expectation {
  telemetry::counter_id counter;
  std::int64_t value;
};

/// Bytes of every weight of the architecture: its elements by the config, each as wide as the
/// header says. The headers must name each of them.
std::int64_t weight_bytes(const model_shape& model);
/// Weight bytes that one pass over `tokens` reads: each operator's weights once, the embedding one
/// row a token, the head for the last position only.
std::int64_t pass_weight_bytes(const model_shape& model, std::int64_t tokens);
/// Bytes of keys and values that one token leaves in the cache.
std::int64_t kv_token_bytes(const model_shape& model);
/// Bytes of keys and values that a request's attention reads: every query token that is run reads
/// its context, itself included.
std::int64_t kv_read_bytes(const model_shape& model, const request_shape& request);
/// Kernels that one pass submits.
std::int64_t pass_launches(const model_shape& model);
std::int64_t pages_for(std::int64_t tokens, const cache_shape& cache);

/// What the runtime takes of the arena: weights, KV pages, activations for the longest pass, each
/// buffer or part of one rounded up to 64 bytes.
struct arena_shape {
  std::int64_t weights_bytes = 0;
  std::int64_t kv_bytes = 0;
  std::int64_t activations_bytes = 0;
  std::int64_t total_bytes() const { return weights_bytes + kv_bytes + activations_bytes; }
};
arena_shape arena_of(const model_shape& model, const cache_shape& cache);
/// Bytes of one KV page over all layers.
std::int64_t kv_page_bytes(const model_shape& model, const cache_shape& cache);

/// Expectations over the load window.
std::vector<expectation> expect_load(const model_shape& model, const cache_shape& cache);
/// Expectations over one request's window, its end included (pages given back).
std::vector<expectation> expect_request(const model_shape& model, const cache_shape& cache,
                                        const request_shape& request);
/// The same of what happens to pages beside being taken and given back: nothing, on a device that
/// keeps no prompt and has room for every page.
std::vector<expectation> expect_no_sharing();
/// Expectations over the window in which everything is given back.
std::vector<expectation> expect_unload();
/// Levels while a request holds `context_tokens` in the cache.
std::vector<expectation> expect_levels(const cache_shape& cache, std::int64_t context_tokens,
                                       const kept_shape& kept = {});

}  // namespace assay::scenarios
