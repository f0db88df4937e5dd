// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/gpu_decode.h"

#include <algorithm>
#include <string>
#include <vector>

#include "harness/cli/interrupt.h"
#include "runtime/checkpoint/checkpoint.h"
#include "runtime/device/cuda/cuda_device.h"
#include "runtime/engine/cuda/gpu_decoder.h"
#include "runtime/telemetry/clock.h"

namespace assay::cli {
namespace {

/// Ids that are fetched together: few enough to read along, many enough that the wait for them does
/// not show.
constexpr std::uint32_t fetched_together = 16;

bool is_end(const checkpoint::model_config& config, std::int32_t id) {
  const auto& ends = config.eos_token_ids;
  return std::find(ends.begin(), ends.end(), id) != ends.end();
}

/// Hands out ids until one ends the text; says whether one did.
result<bool> hand_out(const std::vector<std::int32_t>& ids, const checkpoint::model_config& config,
                      gpu_decode_claims& claims,
                      const std::function<result<void>(std::int32_t)>& take) {
  for (const std::int32_t id : ids) {
    ASSAY_TRY(take(id));
    ++claims.new_tokens;
    if (is_end(config, id)) return true;
  }
  return false;
}

}  // namespace

result<gpu_decode_claims> decode_on_gpu(const gpu_decode_request& request,
                                        std::span<const std::int32_t> prompt,
                                        const std::function<result<void>(std::int32_t)>& take) {
  ASSAY_TRY_ASSIGN(const auto from, checkpoint::checkpoint::open(request.folder));
  ASSAY_TRY_ASSIGN(const auto gpu,
                   device::cuda_device::create({.memory_limit_bytes = request.memory_limit_bytes}));
  ASSAY_TRY_ASSIGN(const auto decoder, engine::gpu_decoder::load(from, *gpu, {}));
  gpu_decode_claims claims;
  claims.prompt_tokens = static_cast<std::uint32_t>(prompt.size());
  claims.launches_per_step = decoder->launches_per_step();
  const host_time begin = host_now();
  ASSAY_TRY(decoder->begin(prompt));
  ASSAY_TRY(decoder->enqueue(claims.prompt_tokens));
  ASSAY_TRY_ASSIGN(std::vector<std::int32_t> ids, decoder->chosen(claims.prompt_tokens - 1));
  const host_time first = host_now();
  claims.first_token_ns = first - begin;
  ASSAY_TRY_ASSIGN(bool is_ended, hand_out(ids, from.config(), claims, take));
  while (!is_ended && claims.new_tokens < request.max_new_tokens) {
    if (is_interrupted())
      return ASSAY_FAIL(interrupted, "interrupted before the text's end; what came is on stdout");
    const std::uint32_t room = decoder->context_tokens() - decoder->enqueued_steps();
    const std::uint32_t steps =
        std::min({fetched_together, room, request.max_new_tokens - claims.new_tokens});
    if (steps == 0) break;
    const std::uint32_t from_position = decoder->enqueued_steps();
    ASSAY_TRY(decoder->enqueue(steps));
    ASSAY_TRY_ASSIGN(ids, decoder->chosen(from_position));
    ASSAY_TRY_ASSIGN(is_ended, hand_out(ids, from.config(), claims, take));
    claims.rest_ns = host_now() - first;
  }
  claims.graph_replays = decoder->tally().replays;
  claims.eager_steps = decoder->tally().eager_steps;
  return claims;
}

}  // namespace assay::cli
