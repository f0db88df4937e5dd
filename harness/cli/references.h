// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The other side of every counter that device records alone cannot judge: what the ledger, the
// harness's stamps, the content that came out, and the kernel's accounts say. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "harness/cli/activity_tally.h"
#include "harness/cli/recorder.h"
#include "scenarios/gpu_ledger.h"
#include "scenarios/ledger.h"
#include "scenarios/paging_ledger.h"

namespace assay::cli {

/// What the kernel says that the caller's thread did over an interval, beside the work it waited
/// for.
struct thread_time {
  std::int64_t run_ns = 0;           ///< on a CPU
  std::int64_t wait_ns = 0;          ///< runnable, but not running
  std::int64_t workers_wait_ns = 0;  ///< the same of the streams' workers and helpers, summed
  std::int64_t steal_ns = 0;         ///< taken by the hypervisor, machine-wide, to the tick
  std::int64_t workers_run_ns = 0;   ///< of the streams' workers and their helpers on a CPU, summed
};

/// Sum of two brackets of one thread.
inline thread_time operator+(const thread_time& a, const thread_time& b) {
  return {a.run_ns + b.run_ns, a.wait_ns + b.wait_ns, a.workers_wait_ns + b.workers_wait_ns,
          a.steal_ns + b.steal_ns, a.workers_run_ns + b.workers_run_ns};
}

/// The load of a checkpoint, as the harness saw it.
struct load_evidence {
  telemetry::device_class on = telemetry::device_class::host;
  scenarios::model_shape model;
  scenarios::cache_shape cache;
  std::int64_t stat_file_bytes = 0;  ///< of all weight files, by the file system
  window_span span;
  thread_time caller;
  std::int64_t major_faults_count = 0;
  bool has_passes = false;  ///< of a GPU: prompts of enough ids go through passes
  range_tally weights;
  double copy_ceiling_bytes_per_s = 0.0;    ///< what the link probe measured; 0 where it has none
  std::int64_t arena_bytes = 0;             ///< granted to the runtime, by the arena's records
  std::optional<std::uint64_t> link_bytes;  ///< that came in over the link, by NVML
  std::int64_t operations = 0;              ///< activities of every range but the sentinel's
  scenarios::limit_shape limit;             ///< where there is one
  std::optional<scenarios::paging_shape> paging;  ///< what the ledger makes of it
};

/// One encode of a prompt.
struct encode_evidence {
  std::int64_t text_bytes = 0;
  std::int64_t ids = 0;
  std::int64_t vocabulary_bytes = 0;  ///< of the text that the ids stand for, by the ledger
  bool is_text_normal = false;        ///< nothing may have normalised the text: its bytes are known
  std::optional<std::int64_t> oracle_ids;
};

/// The time of all encodes: one takes microseconds, as an interrupt does.
struct encode_time_evidence {
  std::int64_t calls = 0;
  std::int64_t span_ns = 0;    ///< between the harness's stamps right around each call
  std::int64_t cpu_ns = 0;     ///< of the caller, read right before and after those
  std::int64_t around_ns = 0;  ///< that these reads took, stamped by the host's clock
  thread_time caller;          ///< from before the first to after the last
  std::int64_t major_faults_count = 0;
};

/// One request, from before begin_request to after end_request.
struct request_evidence {
  telemetry::device_class on = telemetry::device_class::host;
  scenarios::gpu_mode mode;  ///< of a GPU alone
  scenarios::model_shape model;
  scenarios::cache_shape cache;
  std::int64_t prompt_ids = 0;
  std::int64_t reused_ids = 0;  ///< of the prompt, with which the kept one begins as well
  std::int64_t kept_ids = 0;    ///< of the kept prompt; 0: none is
  bool is_kept = false;         ///< the kept prompt is this request's
  std::int64_t received_ids = 0;
  std::int64_t asked_steps = 0;
  std::int64_t text_bytes = 0;            ///< of text that the decoder gave out
  std::int64_t vocabulary_bytes = 0;      ///< of the ids received, by the vocabulary ledger
  bool is_text_mended = false;            ///< it has U+FFFD, which may stand for malformed bytes
  std::int64_t spin_ns = 0;               ///< how long a worker without work spins before it sleeps
  std::int64_t launch_threads = 1;        ///< that may run blocks of one launch at once
  std::int64_t pages_by_walk_before = 0;  ///< as the request began
  std::int64_t pages_by_walk = 0;         ///< before the pages were given back
  std::int64_t pages_by_walk_after = 0;
  window_span prefill;
  std::int64_t decode_steps_ns = 0;         ///< the harness's spans of the decode steps, summed
  std::int64_t first_to_last_token_ns = 0;  ///< end of prefill to end of the last step
  std::int64_t prefill_input_bytes = 0;     ///< by the workers
  std::int64_t prefill_launches = 0;        ///< kernels
  std::int64_t prefill_launch_calls = 0;
  /// What the device itself counted, in its own memory, of a request's steps; none where it does
  /// not.
  std::optional<std::int64_t> device_steps;
  double read_ceiling_bytes_per_s = 0.0;  ///< of the weights' working set; 0 where nobody has it
  std::int64_t prefill_busy_ns = 0;
  std::int64_t decode_busy_ns = 0;
  thread_time prefill_caller;
  thread_time decode_caller;
  activity_tally activity;                        ///< of the whole request
  std::optional<scenarios::paging_shape> paging;  ///< under a limit; a GPU's mode has it, too
  range_tally fill;                               ///< the copies of the load
  overlap_times overlap;                          ///< of its passes, added up
  double copy_ceiling_bytes_per_s = 0.0;
};

/// What a walk of the free lists and of the block tables found.
struct page_walk {
  std::int64_t live = 0;
  std::int64_t shared = 0;
};

/// Are there so many of them that a load stands out of what else crosses the link?
bool is_traffic_telling(const std::optional<std::uint64_t>& link_bytes);

std::vector<reference_value> references_of(const load_evidence& seen);
/// Over the window in which the engine ends.
std::vector<reference_value> references_of_unload(
    const std::optional<scenarios::paging_shape>& paging = std::nullopt);
/// The same on a GPU.
std::vector<reference_value> references_of_gpu_unload(const scenarios::gpu_mode& mode);
std::vector<reference_value> references_of(const encode_evidence& seen);
std::vector<reference_value> references_of(const encode_time_evidence& seen);
std::vector<reference_value> references_of(const request_evidence& seen);
/// Levels inside an open request, of which `activity` is what the device did so far.
std::vector<reference_value> references_of_levels(const request_evidence& seen,
                                                  const activity_tally& activity,
                                                  std::int64_t context_tokens,
                                                  const page_walk& pages);

}  // namespace assay::cli
