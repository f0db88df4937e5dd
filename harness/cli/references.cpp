// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/references.h"

#include <algorithm>
#include <bit>

#include "harness/cli/paging_references.h"

namespace assay::cli {
namespace {

using id = telemetry::counter_id;
using values = std::vector<reference_value>;

// A sleeping caller runs again some time after it was woken, on a machine with two cores that may
// both be busy; what exceeds a scheduler slice shows up in wait_ns.
constexpr std::int64_t wake_up_ns = 1'000'000;

// What two parties' stamps of one bracket may differ by (docs/methodology.md).
constexpr std::int64_t bracket_ns = 2'000;

// What an interrupt, or a hypervisor that says nothing of it, takes between two stamps of one
// moment: 62 us once in 250 runs of one encode, 40 us once in about 100 of 56 traces (AMD EPYC 5th
// generation, KVM, 2026-12-01). Where a run has windows enough the rule forgives it; an encode, a
// load and the requests of a short run are too few for that.
constexpr std::int64_t interruption_ns = 200'000;

void equal(values& to, id counter, assay_source source, std::int64_t value) {
  to.push_back({counter, source, ASSAY_EQUAL, value});
}

// From the device's records of one range, or of several together.
void recorded(values& to, id counter, telemetry::range rests_on, std::int64_t value) {
  to.push_back({counter, ASSAY_SOURCE_DEVICE_RECORDS, ASSAY_EQUAL, value, rests_on});
}

void between(values& to, id counter, assay_source source, std::int64_t low, std::int64_t high) {
  to.push_back({counter, source, ASSAY_AT_LEAST, low});
  to.push_back({counter, source, ASSAY_AT_MOST, high});
}

// How long the caller stood still although it could have run: by so much may two stamps that mean
// the same moment lie apart. Zero on a machine that has a core to spare.
std::int64_t held_up_ns(const thread_time& caller) {
  return caller.wait_ns + caller.steal_ns;
}

// The harness's stamps enclose the bracket; only a caller that was held up or interrupted between a
// stamp and the call can have made them wider than it.
void enclosed(values& to, id counter, std::int64_t span_ns, const thread_time& caller) {
  between(to, counter, ASSAY_SOURCE_HOST_SPAN,
          std::max<std::int64_t>(span_ns - held_up_ns(caller) - interruption_ns, 0), span_ns);
}

// By how much a counter's interval may differ from another party's, whose stamps of the same two
// moments are not the counter's own.
struct allowance {
  std::int64_t shorter_ns;  ///< how much later the counter may have seen the first moment
  std::int64_t longer_ns;   ///< how much later it may have seen the last
};

void around(values& to, id counter, assay_source source, std::int64_t span_ns,
            const allowance& by) {
  between(to, counter, source, std::max<std::int64_t>(span_ns - by.shorter_ns, 0),
          span_ns + by.longer_ns);
}

// A rate as an observation carries it.
std::int64_t rate_bits(std::int64_t amount, std::int64_t over_ns) {
  return std::bit_cast<std::int64_t>(static_cast<double>(amount) * 1e9 /
                                     static_cast<double>(std::max<std::int64_t>(over_ns, 1)));
}

void rate_around(values& to, id counter, assay_source source, std::int64_t amount,
                 std::int64_t span_ns, const allowance& by) {
  between(to, counter, source, rate_bits(amount, span_ns + by.longer_ns),
          rate_bits(amount, span_ns - by.shorter_ns));
}

// How long after the worker's stamp of a result the caller may have it in hand: either of them may
// have waited for a core in between, the worker before it could tell.
std::int64_t behind_device_ns(const thread_time& caller) {
  return held_up_ns(caller) + caller.workers_wait_ns;
}

// No caller can have spent longer than it ran, waited for a core, and waited for workers, which ran
// or waited for a core themselves. The kernel's word alone: were it the records' of how long the
// work took, a device that stamps wrong would accuse an honest counter.
std::int64_t longest_ns(const thread_time& caller, std::int64_t sleeps) {
  return caller.run_ns + caller.wait_ns + caller.workers_run_ns + caller.workers_wait_ns +
         caller.steal_ns + sleeps * wake_up_ns;
}

// What interrupts took, and the hypervisor within a tick, stands in no account. Accounts that do
// not even explain the harness's own span of the window bound nobody's: there they are not asked.
void within_accounts(values& to, id counter, std::int64_t span_ns, std::int64_t longest_ns) {
  if (longest_ns >= span_ns)
    to.push_back({counter, ASSAY_SOURCE_PROCESS, ASSAY_AT_MOST, longest_ns});
}

// In a pass a worker may run dry before the input, before the first kernel and after the logits;
// its wake-ups, small copies and reports take no longer than one spin more.
constexpr std::int64_t spins_a_pass = 4;

// A worker's account also holds its wake-ups, its reports, first touches of memory, and what a
// hypervisor that reports no steal took. On one machine these were a tenth of its work, on another,
// at load, a third; half of the account is what no honest counter falls below.
constexpr std::int64_t account_per_work = 2;

std::int64_t worked_ns(std::int64_t run_ns, std::int64_t idle_ns) {
  return std::max<std::int64_t>(run_ns - idle_ns, 0) / account_per_work;
}

// Work lies within the harness's span, and what its worker ran beside spinning was work.
void work_between(values& to, id counter, std::int64_t least_ns, std::int64_t span_ns) {
  to.push_back({counter, ASSAY_SOURCE_PROCESS, ASSAY_AT_LEAST, least_ns});
  to.push_back({counter, ASSAY_SOURCE_HOST_SPAN, ASSAY_AT_MOST, span_ns});
}

void add_ledger(values& to, const std::vector<scenarios::expectation>& expected) {
  for (const auto& each : expected) equal(to, each.counter, ASSAY_SOURCE_LEDGER, each.value);
}

// Counts that follow from what came out: nothing of the runtime's own bookkeeping is asked.
void add_content(values& to, const request_evidence& seen) {
  const auto source = ASSAY_SOURCE_CONTENT;
  equal(to, id::engine_requests_count, source, 1);
  equal(to, id::engine_prompt_tokens, source, seen.prompt_ids);
  equal(to, id::engine_generated_tokens, source, seen.received_ids);
  equal(to, id::engine_decode_steps_count, source, seen.asked_steps);
  equal(to, id::sampling_draws_count, source, seen.received_ids);
  equal(to, id::kv_allocated_pages, source, seen.pages_by_walk - seen.pages_by_walk_before);
  equal(to, id::kv_freed_pages, source, seen.pages_by_walk - seen.pages_by_walk_after);
  equal(to, id::tokenizer_decoded_tokens, source, seen.received_ids);
  equal(to, id::tokenizer_decoded_bytes, source, seen.text_bytes);
  // One to three malformed bytes become U+FFFD, which is three.
  if (seen.is_text_mended)
    between(to, id::tokenizer_decoded_bytes, ASSAY_SOURCE_LEDGER, seen.vocabulary_bytes,
            3 * seen.vocabulary_bytes);
  else
    equal(to, id::tokenizer_decoded_bytes, ASSAY_SOURCE_LEDGER, seen.vocabulary_bytes);
}

// Counts that follow from what the workers moved.
void add_device_counts(values& to, const request_evidence& seen) {
  using telemetry::range;
  const range_tally& inputs = seen.activity.of(range::inputs);
  const range_tally& logits = seen.activity.of(range::logits);
  recorded(to, id::engine_prompt_tokens, range::inputs,
           seen.reused_ids + seen.prefill_input_bytes / 4);
  recorded(to, id::engine_decode_steps_count, range::inputs, inputs.copies - 1);
  recorded(to, id::engine_requests_count, range::inputs, inputs.copies > 0 ? 1 : 0);
  recorded(to, id::engine_generated_tokens, range::logits, logits.copies);
  recorded(to, id::sampling_draws_count, range::logits, logits.copies);
  recorded(to, id::sampling_candidates_count, range::logits, logits.bytes / 4);
  recorded(to, id::tokenizer_decoded_tokens, range::logits, logits.copies);
  recorded(to, id::device_submissions_count, range::any, seen.activity.operations());
}

telemetry::range output_range(const request_evidence& seen) {
  const bool is_chosen = seen.on == telemetry::device_class::cuda && !seen.mode.is_sampled;
  return is_chosen ? telemetry::range::choices : telemetry::range::logits;
}

// Ids of the prompt, by the bytes that came with it.
std::int64_t prompt_ids_by_records(const request_evidence& seen) {
  return (seen.prefill_input_bytes -
          scenarios::gpu_input_bytes_beside_ids(seen.model, seen.cache, seen.prompt_ids)) /
         4;
}

scenarios::request_shape shape_of(const request_evidence& seen) {
  return {seen.prompt_ids, seen.asked_steps, seen.reused_ids, seen.is_kept};
}

bool is_prompt_passed(const request_evidence& seen) {
  return scenarios::gpu_steps(shape_of(seen), seen.mode) == seen.asked_steps;
}

// Replays and a pass's calls leave kernels in the same range: those of a pass lie in prefill.
void add_gpu_calls(values& to, const request_evidence& seen) {
  using telemetry::range;
  const bool is_passed = is_prompt_passed(seen);
  const std::int64_t of_pass = is_passed ? seen.prefill_launch_calls : 0;
  const std::int64_t of_steps = seen.activity.of(range::compute).launch_calls - of_pass;
  recorded(to, id::prefill_calls_count, range::compute, of_pass);
  recorded(to, id::graph_replays_count, range::compute, seen.mode.is_streamed() ? 0 : of_steps);
  if (seen.mode.is_streamed())
    recorded(to, id::graph_eager_steps_count, range::compute,
             of_steps / scenarios::gpu_launches_per_position(seen.model));
  // The head runs once a step, and once for a pass.
  if (seen.device_steps)
    equal(to, seen.mode.is_streamed() ? id::graph_eager_steps_count : id::graph_replays_count,
          ASSAY_SOURCE_CONTENT, *seen.device_steps - (is_passed ? 1 : 0));
  const scenarios::launch_bounds launches =
      scenarios::gpu_launches(seen.model, shape_of(seen), seen.mode);
  if (launches.least == launches.most)
    equal(to, id::compute_launches_count, ASSAY_SOURCE_LEDGER, launches.least);
  else
    between(to, id::compute_launches_count, ASSAY_SOURCE_LEDGER, launches.least, launches.most);
}

// The same of a GPU, where ids come out instead of logits unless the host draws.
void add_gpu_counts(values& to, const request_evidence& seen) {
  using telemetry::range;
  const range out = output_range(seen);
  const range_tally& outputs = seen.activity.of(out);
  recorded(to, id::engine_prompt_tokens, range::inputs, prompt_ids_by_records(seen));
  recorded(to, id::engine_decode_steps_count, out, outputs.copies - 1);
  recorded(to, id::engine_requests_count, out, outputs.copies > 0 ? 1 : 0);
  recorded(to, id::engine_generated_tokens, out, outputs.copies);
  recorded(to, id::sampling_draws_count, out, outputs.copies);
  recorded(to, id::tokenizer_decoded_tokens, out, outputs.copies);
  recorded(to, id::device_submissions_count, range::any, seen.activity.operations());
  if (seen.mode.is_sampled) recorded(to, id::sampling_candidates_count, out, outputs.bytes / 4);
  add_gpu_calls(to, seen);
}

// From the first token in hand, which ends prefill, to the last, which ends the last decode step.
void add_token_times(values& to, const request_evidence& seen) {
  // The harness's stamps come after the engine's: a hold-up between the two at the first token
  // makes the harness's span the shorter one, one at the last token the longer.
  const allowance by_harness{held_up_ns(seen.decode_caller), held_up_ns(seen.prefill_caller)};
  around(to, id::engine_itl_ns, ASSAY_SOURCE_HOST_SPAN, seen.first_to_last_token_ns, by_harness);
  rate_around(to, id::engine_decode_tokens_per_s, ASSAY_SOURCE_HOST_SPAN, seen.received_ids - 1,
              seen.first_to_last_token_ns, by_harness);
  // As the device saw it: the last logits are as far behind the first as the last token is. The
  // engine's stamps come after the device's, so here it is the other way round.
  const range_tally& logits = seen.activity.of(output_range(seen));
  const std::int64_t token_to_token_ns = logits.last_end_ns - logits.first_end_ns;
  allowance by_device{behind_device_ns(seen.prefill_caller), behind_device_ns(seen.decode_caller)};
  // What a hypervisor takes within a tick is in nobody's account. The engine had each token in hand
  // before the harness's next stamp, and where one clock stamps both that is a bound of its own.
  if (seen.on == telemetry::device_class::host) {
    const std::int64_t last_stamp_ns = seen.prefill.end_ns + seen.first_to_last_token_ns;
    by_device.shorter_ns =
        std::max(by_device.shorter_ns, seen.prefill.end_ns - logits.first_end_ns);
    by_device.longer_ns = std::max(by_device.longer_ns, last_stamp_ns - logits.last_end_ns);
  }
  around(to, id::engine_itl_ns, ASSAY_SOURCE_DEVICE_RECORDS, token_to_token_ns, by_device);
  rate_around(to, id::engine_decode_tokens_per_s, ASSAY_SOURCE_DEVICE_RECORDS, logits.copies - 1,
              token_to_token_ns, by_device);
}

// A GPU has no thread whose account could be a floor: here it is the bytes that its kernels must
// read, over the fastest read measured. Weights that its L2 may keep have no such floor.
void add_gpu_compute_time(values& to, const request_evidence& seen, std::int64_t steps_ns) {
  to.push_back({id::compute_device_ns, ASSAY_SOURCE_HOST_SPAN, ASSAY_AT_MOST, steps_ns});
  if (!(seen.read_ceiling_bytes_per_s > 0.0)) return;
  const double least_ns =
      static_cast<double>(scenarios::gpu_weight_reads(seen.model, shape_of(seen), seen.mode)) *
      1e9 / seen.read_ceiling_bytes_per_s;
  to.push_back({id::compute_device_ns, ASSAY_SOURCE_LEDGER, ASSAY_AT_LEAST,
                static_cast<std::int64_t>(least_ns)});
}

void add_times(values& to, const request_evidence& seen) {
  enclosed(to, id::engine_ttft_ns, seen.prefill.length_ns(), seen.prefill_caller);
  to.push_back(
      {id::engine_ttft_ns, ASSAY_SOURCE_DEVICE_RECORDS, ASSAY_AT_LEAST, seen.prefill_busy_ns});
  within_accounts(to, id::engine_ttft_ns, seen.prefill.length_ns(),
                  longest_ns(seen.prefill_caller, 1));
  if (seen.on == telemetry::device_class::host || seen.mode.is_sampled)
    to.push_back({id::sampling_host_ns, ASSAY_SOURCE_HOST_SPAN, ASSAY_AT_MOST,
                  seen.prefill.length_ns() + seen.decode_steps_ns});
  const std::int64_t steps_ns = seen.prefill.length_ns() + seen.decode_steps_ns;
  const thread_time threads = seen.prefill_caller + seen.decode_caller;
  const std::int64_t passes = 1 + seen.asked_steps;
  // Threads that run blocks at once work in parallel at best: their time divided by their number.
  // Under a limit the worker of the page-ins is one more, and both spin where one waits for the
  // other, once an operator.
  const std::int64_t gates = seen.paging ? seen.paging->streamed_operators : 0;
  const std::int64_t at_once = seen.launch_threads + (seen.paging ? 1 : 0);
  const std::int64_t idle_ns = passes * (spins_a_pass + gates) * seen.spin_ns * at_once;
  if (seen.on == telemetry::device_class::host)
    work_between(to, id::compute_device_ns, worked_ns(threads.workers_run_ns, idle_ns) / at_once,
                 steps_ns);
  else
    add_gpu_compute_time(to, seen, steps_ns);
  if (seen.paging) add_paged_request(to, seen, steps_ns);
  // Where the caller neither ran nor waited for a core it slept: for the device, or inside a call
  // that found the queue full, as passes of more than a thousand operations do.
  const std::int64_t slept_ns = steps_ns - threads.run_ns - held_up_ns(threads);
  work_between(to, id::device_sync_wait_ns,
               std::max<std::int64_t>(slept_ns - seen.activity.submission_ns(), 0), steps_ns);
  // The runtime's stamps enclose the device's of the same call. The rule gives a window the slack
  // of one bracket; on a GPU, where a wait may be as short, this one holds two for each wait:
  // whoever watches the driver's calls is told of each between the two stamps, which took 1.5 to
  // 1.7 us a wait in nine runs and 3.2 us in a tenth (H200, docs/evidence).
  const std::int64_t brackets_ns =
      seen.on == telemetry::device_class::cuda ? seen.asked_steps * 2 * bracket_ns : 0;
  around(to, id::device_sync_wait_ns, ASSAY_SOURCE_DEVICE_RECORDS, seen.activity.sync_ns(),
         {0, held_up_ns(seen.prefill_caller + seen.decode_caller) + brackets_ns});
  if (seen.asked_steps == 0) return;
  add_token_times(to, seen);
  const thread_time& caller = seen.decode_caller;
  enclosed(to, id::engine_decode_step_ns, seen.decode_steps_ns, caller);
  to.push_back({id::engine_decode_step_ns, ASSAY_SOURCE_DEVICE_RECORDS, ASSAY_AT_LEAST,
                seen.decode_busy_ns});
  within_accounts(to, id::engine_decode_step_ns, seen.decode_steps_ns,
                  longest_ns(caller, seen.asked_steps));
}

// The header's bytes, divided by the fastest copy that the harness saw on this machine: no honest
// time is shorter. A floor from the worker's account would hold its start and its spins between two
// copies, which together outweigh the copies of a small checkpoint.
void add_copy_times(values& to, const load_evidence& seen) {
  const std::int64_t span_ns = seen.span.length_ns();
  const std::int64_t bytes = seen.paging ? seen.paging->resident_bytes : seen.model.payload_bytes;
  if (bytes == 0) return;
  to.push_back({id::weights_h2d_ns, ASSAY_SOURCE_HOST_SPAN, ASSAY_AT_MOST, span_ns});
  to.push_back({id::weights_h2d_bytes_per_s, ASSAY_SOURCE_HOST_SPAN, ASSAY_AT_LEAST,
                rate_bits(bytes, span_ns)});
  if (!(seen.copy_ceiling_bytes_per_s > 0.0)) return;
  const double least_ns = static_cast<double>(bytes) * 1e9 / seen.copy_ceiling_bytes_per_s;
  to.push_back({id::weights_h2d_ns, ASSAY_SOURCE_LEDGER, ASSAY_AT_LEAST,
                static_cast<std::int64_t>(least_ns)});
  to.push_back({id::weights_h2d_bytes_per_s, ASSAY_SOURCE_LEDGER, ASSAY_AT_MOST,
                std::bit_cast<std::int64_t>(seen.copy_ceiling_bytes_per_s)});
}

// Of the architecture's weights, those that the load leaves on the host: streamed ones, and the
// table where it is not the head.
std::int64_t not_loaded(const load_evidence& seen) {
  if (!seen.paging) return 0;
  return static_cast<std::int64_t>(scenarios::weights_of(seen.model).size()) -
         seen.paging->resident_weights;
}

// What crossed the link, whoever moved it: headers of packets add up to 30 %, and what the driver
// itself sends is some MB, which a load of less than these bytes would not stand out of.
constexpr std::uint64_t traffic_min_bytes = std::uint64_t{256} << 20;
constexpr std::uint64_t traffic_idle_bytes = std::uint64_t{64} << 20;
constexpr double traffic_max_ratio = 1.3;
constexpr double traffic_count_ratio = 1.02;  // two counts of one moment

void add_link_traffic(values& to, const load_evidence& seen) {
  if (!is_traffic_telling(seen.link_bytes)) return;
  const auto crossed = static_cast<double>(*seen.link_bytes);
  const double least = crossed / traffic_max_ratio - static_cast<double>(traffic_idle_bytes);
  between(to, id::weights_h2d_bytes, ASSAY_SOURCE_NVML, static_cast<std::int64_t>(least),
          static_cast<std::int64_t>(crossed * traffic_count_ratio));
}

}  // namespace

bool is_traffic_telling(const std::optional<std::uint64_t>& link_bytes) {
  return link_bytes && *link_bytes >= traffic_min_bytes;
}

values references_of(const load_evidence& seen) {
  values to;
  const bool is_gpu = seen.on == telemetry::device_class::cuda;
  add_ledger(
      to, is_gpu ? scenarios::expect_gpu_load(seen.model, seen.cache, seen.has_passes, seen.paging)
          : seen.paging ? scenarios::expect_paged_load(seen.model, seen.cache, *seen.paging)
                        : scenarios::expect_load(seen.model, seen.cache));
  if (seen.paging) add_paged_load(to, seen);
  equal(to, id::checkpoint_file_bytes, ASSAY_SOURCE_CONTENT, seen.stat_file_bytes);
  // What is left of the file without its header, and without the tensors that were copied.
  const std::int64_t header_bytes = seen.model.file_bytes - seen.model.payload_bytes;
  equal(to, id::checkpoint_tensor_bytes, ASSAY_SOURCE_CONTENT, seen.stat_file_bytes - header_bytes);
  recorded(to, id::checkpoint_unused_tensors_count, telemetry::range::weights,
           seen.model.header_tensor_count - seen.weights.copies - not_loaded(seen));
  recorded(to, id::device_submissions_count, telemetry::range::any, seen.operations);
  add_copy_times(to, seen);
  add_link_traffic(to, seen);
  // Of what the arena granted, what is neither weights nor activations are pages.
  const scenarios::arena_shape arena =
      is_gpu        ? scenarios::gpu_arena_of(seen.model, seen.cache, seen.has_passes, seen.paging)
      : seen.paging ? scenarios::paged_arena_of(seen.model, seen.cache, *seen.paging)
                    : scenarios::arena_of(seen.model, seen.cache);
  const std::int64_t page_bytes = is_gpu ? scenarios::gpu_kv_page_bytes(seen.model, seen.cache)
                                         : scenarios::kv_page_bytes(seen.model, seen.cache);
  recorded(to, id::kv_capacity_pages, telemetry::range::arena,
           (seen.arena_bytes - arena.weights_bytes - arena.activations_bytes) / page_bytes);
  enclosed(to, id::checkpoint_load_ns, seen.span.length_ns(), seen.caller);
  to.push_back(
      {id::checkpoint_load_ns, ASSAY_SOURCE_DEVICE_RECORDS, ASSAY_AT_LEAST, seen.weights.busy_ns});
  // A page that came from a disk kept the caller waiting in a way that no account tells.
  if (seen.major_faults_count == 0)
    within_accounts(to, id::checkpoint_load_ns, seen.span.length_ns(), longest_ns(seen.caller, 1));
  return to;
}

values references_of_gpu_unload(const scenarios::gpu_mode& mode) {
  values to;
  add_ledger(to, scenarios::expect_gpu_unload(mode.has_passes, mode.paging));
  return to;
}

values references_of_unload(const std::optional<scenarios::paging_shape>& paging) {
  values to;
  add_ledger(to, paging ? scenarios::expect_paged_unload(*paging) : scenarios::expect_unload());
  return to;
}

values references_of(const encode_evidence& seen) {
  values to;
  equal(to, id::tokenizer_encoded_bytes, ASSAY_SOURCE_CONTENT, seen.text_bytes);
  if (seen.is_text_normal)
    equal(to, id::tokenizer_encoded_bytes, ASSAY_SOURCE_LEDGER, seen.vocabulary_bytes);
  equal(to, id::tokenizer_encoded_tokens, ASSAY_SOURCE_CONTENT, seen.ids);
  if (seen.oracle_ids)
    equal(to, id::tokenizer_encoded_tokens, ASSAY_SOURCE_ORACLE, *seen.oracle_ids);
  return to;
}

values references_of(const encode_time_evidence& seen) {
  values to;
  // The rule gives a window the slack of one bracket; this one holds as many as there were calls.
  const std::int64_t least_ns =
      seen.span_ns - held_up_ns(seen.caller) - (seen.calls - 1) * bracket_ns - interruption_ns;
  between(to, id::tokenizer_encode_ns, ASSAY_SOURCE_HOST_SPAN, std::max<std::int64_t>(least_ns, 0),
          seen.span_ns);
  // An interrupt between the harness's stamp and the call's own is in the caller's account, and an
  // encode is as short as one: 61 us of account once stood beside 23 us between the stamps.
  const std::int64_t worked_ns = seen.cpu_ns - seen.around_ns - interruption_ns;
  to.push_back({id::tokenizer_encode_ns, ASSAY_SOURCE_PROCESS, ASSAY_AT_LEAST,
                std::max<std::int64_t>(worked_ns, 0) / account_per_work});
  if (seen.major_faults_count == 0)
    within_accounts(to, id::tokenizer_encode_ns, seen.span_ns, longest_ns(seen.caller, 0));
  return to;
}

// Pages that were copied, by the bytes that the device moved under their ranges; tokens that were
// not run, by those that were.
void add_page_counts(values& to, const request_evidence& seen) {
  using telemetry::range;
  const bool is_gpu = seen.on == telemetry::device_class::cuda;
  const std::int64_t page_bytes = is_gpu ? scenarios::gpu_kv_page_bytes(seen.model, seen.cache)
                                         : scenarios::kv_page_bytes(seen.model, seen.cache);
  const auto pages = [&](id counter, range under) {
    recorded(to, counter, under, seen.activity.of(under).bytes / page_bytes);
  };
  pages(id::kv_copied_pages, range::kv_copy);
  pages(id::kv_spilled_pages, range::kv_spill);
  pages(id::kv_filled_pages, range::kv_fill);
  if (is_gpu) return;
  recorded(to, id::kv_reused_tokens, range::inputs, seen.prompt_ids - seen.prefill_input_bytes / 4);
}

values references_of(const request_evidence& seen) {
  values to;
  const scenarios::request_shape shape = shape_of(seen);
  const bool is_gpu = seen.on == telemetry::device_class::cuda;
  add_ledger(to, is_gpu ? scenarios::expect_gpu_request(seen.model, seen.cache, shape, seen.mode)
                 : seen.paging
                     ? scenarios::expect_paged_request(seen.model, seen.cache, shape, *seen.paging)
                     : scenarios::expect_request(seen.model, seen.cache, shape));
  if (is_gpu) add_ledger(to, scenarios::expect_no_sharing());
  add_content(to, seen);
  add_page_counts(to, seen);
  is_gpu ? add_gpu_counts(to, seen) : add_device_counts(to, seen);
  add_times(to, seen);
  return to;
}

values references_of_levels(const request_evidence& seen, const activity_tally& activity,
                            std::int64_t context_tokens, const page_walk& pages) {
  using telemetry::range;
  values to;
  // A kept prompt's own request has all of its tokens in common with it.
  const std::int64_t shared_ids = seen.is_kept ? seen.prompt_ids : seen.reused_ids;
  add_ledger(to, scenarios::expect_levels(seen.cache, context_tokens, {seen.kept_ids, shared_ids}));
  equal(to, id::kv_live_pages, ASSAY_SOURCE_CONTENT, pages.live);
  equal(to, id::kv_shared_pages, ASSAY_SOURCE_CONTENT, pages.shared);
  if (seen.on == telemetry::device_class::cuda)
    // A step is as many kernels as another; of a pass the ids tell, not the kernels.
    recorded(to, id::engine_context_tokens, range::compute,
             prompt_ids_by_records(seen) +
                 (activity.of(range::compute).launches - seen.prefill_launches) /
                     scenarios::gpu_launches_per_position(seen.model));
  else
    recorded(to, id::engine_context_tokens, range::kv_append,
             seen.reused_ids +
                 activity.of(range::kv_append).bytes / scenarios::kv_token_bytes(seen.model));
  return to;
}

}  // namespace assay::cli
