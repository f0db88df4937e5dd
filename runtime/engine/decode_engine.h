// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What an engine is to its caller, whatever device it runs on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/checkpoint/model_config.h"
#include "runtime/device/device.h"
#include "runtime/memory/residency.h"
#include "runtime/telemetry/result.h"

namespace assay::engine {

struct engine_options {
  std::uint32_t context_tokens = 0;   ///< KV capacity; 0 takes the checkpoint's own maximum
  std::uint32_t kv_page_tokens = 16;  ///< 1..256
  /// Device memory that the run may take in all. Weights that do not fit beside the rest are
  /// streamed, step by step; without a limit all of them are resident, or the load fails.
  std::optional<std::uint64_t> memory_limit_bytes = {};
  /// Of the limit, what others take on the same device: the observer's buffers.
  std::uint64_t reserved_bytes = 0;
  memory::residency_kind residency = memory::residency_kind::pin;
  /// Pages on the host for a kept prompt whose place on the device a request needs; with 0 it is
  /// given up then. The host device's engine alone keeps prompts.
  std::uint32_t kv_host_pages = 0;
};

/// How tokens are chosen, and when to stop.
struct request_options {
  std::uint32_t max_new_tokens = 128;
  double temperature = 0.0;  ///< 0 is greedy: highest logit, lowest id on a tie
  std::uint64_t seed = 0;    ///< of a counter-based generator: draw n depends on (seed, n) alone
  bool stop_at_eos = true;
  /// Keeps the prompt's pages: a later prompt that begins with the same ids is not run again that
  /// far. Another kept prompt takes its place.
  bool keeps_prompt = false;
};

enum class stop_reason : std::uint8_t { none, eos, max_new_tokens, context_full };

/// A token that a step gave out.
struct step_result {
  std::int32_t token = 0;
  stop_reason stopped = stop_reason::none;
};

/// How an engine came to work as it does, in words, for whoever reads a report.
struct engine_fact {
  std::string name;
  std::string words;
};

/// One request at a time, step by step.
/// Threads: one. Errors: unusable_input (prompt empty, id outside the vocabulary, longer than the
/// context; logits that are no numbers), usage (calls out of order), and the device's own.
class decode_engine {
 public:
  virtual ~decode_engine() = default;

  virtual const checkpoint::model_config& config() const = 0;

  /// Starts a request: counters that reset per request start again; pages are taken as needed.
  virtual result<void> begin_request(std::span<const std::int32_t> prompt,
                                     const request_options& options) = 0;
  /// Runs the prompt and draws the first token. Waits for the device.
  virtual result<step_result> prefill() = 0;
  /// Feeds the last token and draws the next. Waits for the device.
  virtual result<step_result> decode_step() = 0;
  /// Up to `most` steps, 1 or more, with as few waits as the device needs; ends with the one that
  /// stops the request. Errors: as decode_step; what came before an error is lost.
  virtual result<std::vector<step_result>> decode_steps(std::uint32_t most);
  /// Gives the request's pages back.
  virtual result<void> end_request() = 0;

  /// Where the embedding table lies on the device, for a look at what arrived there; null where a
  /// limit keeps it on the host.
  virtual const std::byte* embedding_address() const = 0;
  /// A weight that stays on the device, for the same look where the table does not.
  struct resident_weight {
    std::string name;
    const std::byte* address = nullptr;
  };
  virtual std::optional<resident_weight> first_resident() const { return std::nullopt; }
  /// The stream that the steps run on, for known-answer operations between two steps.
  virtual device::stream compute_stream() const = 0;
  /// Pages that a walk of the free lists does not find: what runtime.kv.live_pages must say.
  virtual std::uint32_t kv_pages_by_walk() const = 0;
  /// Pages that a walk of the block tables meets twice or more: runtime.kv.shared_pages.
  virtual std::uint32_t kv_shared_pages_by_walk() const = 0;
  /// Of the run so far.
  virtual std::vector<engine_fact> facts() const { return {}; }
};

}  // namespace assay::engine
