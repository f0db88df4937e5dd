// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// assay decode on a GPU.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>

#include "runtime/telemetry/result.h"

namespace assay::cli {

struct gpu_decode_request {
  std::filesystem::path folder;
  std::uint32_t max_new_tokens = 64;
  std::uint64_t memory_limit_bytes = 0;  ///< 0: what is free
};

struct gpu_decode_claims {
  std::uint32_t prompt_tokens = 0;
  std::uint32_t new_tokens = 0;
  std::int64_t first_token_ns = 0;  ///< from the prompt's start to the first id in host memory
  std::int64_t rest_ns = 0;         ///< from there to the last id
  std::uint64_t graph_replays = 0;
  std::uint64_t eager_steps = 0;
  std::uint32_t launches_per_step = 0;
};

/// Continues a prompt greedily on the first GPU, until an eos id, max_new_tokens, an interruption
/// or the end of the context. `take` gets each id as it arrives: the first alone, then a few at a
/// time, because between two steps nobody waits. Errors: unavailable where there is no GPU, or
/// where this program was built without CUDA; interrupted; as engine::gpu_decoder; `take`'s own.
result<gpu_decode_claims> decode_on_gpu(const gpu_decode_request& request,
                                        std::span<const std::int32_t> prompt,
                                        const std::function<result<void>(std::int32_t)>& take);

}  // namespace assay::cli
