// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/paging_references.h"

#include <algorithm>
#include <bit>

namespace assay::cli {
namespace {

using id = telemetry::counter_id;
using telemetry::range;
using values = std::vector<reference_value>;

void by_records(values& to, id counter, range rests_on, std::int64_t value) {
  to.push_back({counter, ASSAY_SOURCE_DEVICE_RECORDS, ASSAY_EQUAL, value, rests_on});
}

void bound(values& to, id counter, assay_source source, assay_relation relation,
           std::int64_t value) {
  to.push_back({counter, source, relation, value, range::any});
}

std::int64_t bits(double value) {
  return std::bit_cast<std::int64_t>(value);
}

double ratio(std::int64_t part, std::int64_t whole) {
  return static_cast<double>(part) / static_cast<double>(std::max<std::int64_t>(whole, 1));
}

// What the kernels asked for and the copies brought, by the records. A weight that the fill brought
// is found by every pass, and one that a page-in brought was not found: the copies of load and
// passes say what was looked up, and the ledger has no part in it but the head, which the first
// chunks of a long prompt do without. Asked for by passes is W of the ledger each, where a record
// has no word for it: a GPU's kernels tally no bytes. The two differ by what was dropped meanwhile.
struct recorded_paging {
  std::int64_t passes = 0;
  std::int64_t headless = 0;  ///< of these; a GPU's
  std::int64_t asked_count = 0;
  std::int64_t asked_bytes = 0;
  std::int64_t hits_count = 0;
  std::int64_t hit_bytes = 0;
  std::int64_t page_ins_count = 0;
  std::int64_t page_in_bytes = 0;

  std::int64_t lookups_count() const { return hits_count + page_ins_count; }
  std::int64_t lookup_bytes() const { return hit_bytes + page_in_bytes; }

  explicit recorded_paging(const request_evidence& seen) {
    const range_tally& compute = seen.activity.of(range::compute);
    const range_tally& paging = seen.activity.of(range::paging);
    const scenarios::paging_shape& p = *seen.paging;
    const bool is_gpu = seen.on == telemetry::device_class::cuda;
    if (is_gpu) {
      passes = passes_on_gpu(seen);
      headless = scenarios::gpu_headless_parts({seen.prompt_ids, seen.asked_steps}, seen.mode);
    } else {
      passes = compute.launches / std::max<std::int64_t>(scenarios::pass_launches(seen.model), 1);
    }
    asked_count = passes * p.step_weights - headless * p.head_weights;
    asked_bytes = is_gpu ? passes * p.step_bytes - headless * p.head_bytes
                         : compute.weight_bytes - seen.activity.of(range::embedding).bytes;
    hits_count = passes * seen.fill.copies - headless * (p.head_weights - p.head_streamed_weights);
    hit_bytes = passes * seen.fill.bytes - headless * (p.head_bytes - p.head_streamed_bytes);
    page_ins_count = paging.copies;
    page_in_bytes = paging.bytes;
  }

 private:
  // A streamed step's kernels are calls, and so are a pass's, which lie in prefill.
  static std::int64_t passes_on_gpu(const request_evidence& seen) {
    const scenarios::request_shape shape{seen.prompt_ids, seen.asked_steps};
    const bool is_passed = scenarios::gpu_steps(shape, seen.mode) == seen.asked_steps;
    const std::int64_t calls =
        seen.activity.of(range::compute).launch_calls - (is_passed ? seen.prefill_launch_calls : 0);
    const std::int64_t chunks =
        scenarios::gpu_parts(shape, seen.mode) - scenarios::gpu_steps(shape, seen.mode);
    return calls /
               (seen.mode.is_streamed() ? scenarios::gpu_launches_per_position(seen.model) : 1) +
           chunks;
  }
};

void add_counts(values& to, const request_evidence& seen) {
  const recorded_paging r(seen);
  const scenarios::paging_shape& p = *seen.paging;
  by_records(to, id::paging_lookups_count, range::any, r.lookups_count());
  by_records(to, id::paging_lookup_bytes, range::any, r.lookup_bytes());
  by_records(to, id::paging_hits_count, range::any, r.hits_count);
  by_records(to, id::paging_hit_bytes, range::any, r.hit_bytes);
  by_records(to, id::paging_count_hit_ratio, range::any,
             bits(ratio(r.hits_count, r.lookups_count())));
  by_records(to, id::paging_byte_hit_ratio, range::any, bits(ratio(r.hit_bytes, r.lookup_bytes())));
  by_records(to, id::paging_staged_bytes, range::paging, r.page_in_bytes);
  // Had every pass its head: what one asks for, and what of it comes.
  const std::int64_t asked_bytes = r.asked_bytes + r.headless * p.head_bytes;
  const std::int64_t asked_count = r.asked_count + r.headless * p.head_weights;
  const std::int64_t page_in_bytes = r.page_in_bytes + r.headless * p.head_streamed_bytes;
  const std::int64_t page_ins_count = r.page_ins_count + r.headless * p.head_streamed_weights;
  by_records(to, id::paging_prefetch_waste_bytes, range::any,
             page_in_bytes - r.passes * p.streamed_bytes());
  // What was dropped since the fill would have come again in every pass.
  const std::int64_t passes = std::max<std::int64_t>(r.passes, 1);
  by_records(to, id::paging_evicted_bytes, range::any,
             (page_in_bytes + seen.fill.bytes * passes - asked_bytes) / passes);
  by_records(to, id::paging_evictions_count, range::any,
             (page_ins_count + seen.fill.copies * passes - asked_count) / passes);
  by_records(to, id::paging_resident_bytes, range::any, (asked_bytes - page_in_bytes) / passes);
  by_records(to, id::paging_resident_count, range::any, (asked_count - page_ins_count) / passes);
}

// The quotient's parts by the records, each the shortest and the longest that it can have been. The
// overlap itself is measured: what the formula gives cannot exceed it by more than the stream's
// idle moments and the copies' own brackets.
void add_overlap(values& to, const overlap_times& t, std::int64_t steps_ns) {
  const std::int64_t shorter_least_ns = std::min(t.copy_ns, t.work_ns);
  const std::int64_t shorter_most_ns = std::min(t.copy_most_ns, steps_ns - t.stall_least_ns);
  if (shorter_least_ns <= 0) return;
  const std::int64_t slack_ns = t.copy_most_ns - t.copy_ns;
  const std::int64_t most_ns =
      std::min(t.copy_most_ns - t.stall_least_ns, t.both_ns + t.gaps_ns + slack_ns);
  const std::int64_t least_ns = t.copy_ns - t.stall_most_ns;
  const auto source = ASSAY_SOURCE_DEVICE_RECORDS;
  bound(to, id::paging_overlap_ratio, source, ASSAY_AT_MOST,
        bits(std::max(ratio(most_ns, shorter_least_ns), 0.0)));
  bound(to, id::paging_overlap_ratio, source, ASSAY_AT_LEAST,
        bits(std::max(ratio(least_ns, shorter_most_ns), 0.0)));
}

// The second party: events of the harness's own, in the places of the streams where the runtime's
// stand. Where they were lost, or nobody recorded any, it says nothing.
void add_event_spans(values& to, const event_span_sums& seen, bool is_paged) {
  if (!seen.is_whole || seen.steps.spans == 0) return;
  const auto source = ASSAY_SOURCE_HARNESS_EVENTS;
  bound(to, id::paging_stall_ns, source, ASSAY_AT_LEAST, seen.waits.least_ns);
  bound(to, id::paging_stall_ns, source, ASSAY_AT_MOST, seen.waits.most_ns);
  const ratio_bounds overlap = overlap_of(seen);
  if (!is_paged || !overlap.is_known) return;
  bound(to, id::paging_overlap_ratio, source, ASSAY_AT_LEAST, bits(overlap.least));
  bound(to, id::paging_overlap_ratio, source, ASSAY_AT_MOST, bits(overlap.most));
}

void add_times(values& to, const request_evidence& seen, std::int64_t steps_ns) {
  const overlap_times& t = seen.overlap;
  bound(to, id::paging_stall_ns, ASSAY_SOURCE_DEVICE_RECORDS, ASSAY_AT_LEAST, t.stall_least_ns);
  bound(to, id::paging_stall_ns, ASSAY_SOURCE_DEVICE_RECORDS, ASSAY_AT_MOST, t.stall_most_ns);
  bound(to, id::paging_stall_ns, ASSAY_SOURCE_HOST_SPAN, ASSAY_AT_MOST, steps_ns);
  const std::int64_t bytes = seen.activity.of(range::paging).bytes;
  add_event_spans(to, seen.activity.event_spans(), bytes != 0);
  if (bytes == 0) return;
  add_overlap(to, t, steps_ns);
  bound(to, id::paging_h2d_ns, ASSAY_SOURCE_HOST_SPAN, ASSAY_AT_MOST, steps_ns);
  const auto source = ASSAY_SOURCE_DEVICE_RECORDS;
  bound(to, id::paging_h2d_bytes_per_s, source, ASSAY_AT_MOST, bits(1e9 * ratio(bytes, t.copy_ns)));
  bound(to, id::paging_h2d_bytes_per_s, source, ASSAY_AT_LEAST,
        bits(1e9 * ratio(bytes, t.copy_most_ns)));
  bound(to, id::paging_h2d_bytes_per_s, ASSAY_SOURCE_HOST_SPAN, ASSAY_AT_LEAST,
        bits(1e9 * ratio(bytes, steps_ns)));
  if (!(seen.copy_ceiling_bytes_per_s > 0.0)) return;
  const bool is_gpu = seen.on == telemetry::device_class::cuda;
  const scenarios::request_shape shape{seen.prompt_ids, seen.asked_steps};
  const std::int64_t passes =
      is_gpu ? scenarios::gpu_parts(shape, seen.mode) : 1 + seen.asked_steps;
  const std::int64_t headless = is_gpu ? scenarios::gpu_headless_parts(shape, seen.mode) : 0;
  const auto expected = static_cast<double>(passes * seen.paging->streamed_bytes() -
                                            headless * seen.paging->head_streamed_bytes);
  bound(to, id::paging_h2d_ns, ASSAY_SOURCE_LEDGER, ASSAY_AT_LEAST,
        static_cast<std::int64_t>(expected * 1e9 / seen.copy_ceiling_bytes_per_s));
  bound(to, id::paging_h2d_bytes_per_s, ASSAY_SOURCE_LEDGER, ASSAY_AT_MOST,
        bits(seen.copy_ceiling_bytes_per_s));
}

}  // namespace

void add_paged_load(values& to, const load_evidence& seen) {
  const scenarios::paging_shape& p = *seen.paging;
  // Of what the arena granted, what is neither pages nor activations nor stays is the area.
  const scenarios::arena_shape arena =
      seen.on == telemetry::device_class::cuda
          ? scenarios::gpu_arena_of(seen.model, seen.cache, seen.has_passes)
          : scenarios::arena_of(seen.model, seen.cache);
  const std::int64_t beside = arena.kv_bytes + arena.activations_bytes;
  by_records(to, id::paging_staging_bytes, range::arena,
             seen.arena_bytes - beside - p.resident_placed_bytes);
  by_records(to, id::paging_budget_bytes, range::arena,
             seen.limit.limit_bytes - seen.limit.reserved_bytes -
                 (seen.arena_bytes - p.resident_placed_bytes - p.staging_bytes));
  by_records(to, id::paging_resident_bytes, range::weights, seen.weights.bytes);
  by_records(to, id::paging_resident_count, range::weights, seen.weights.copies);
  by_records(to, id::paging_admitted_bytes, range::weights, seen.weights.bytes);
  by_records(to, id::paging_admitted_count, range::weights, seen.weights.copies);
}

void add_paged_request(values& to, const request_evidence& seen, std::int64_t steps_ns) {
  add_counts(to, seen);
  add_times(to, seen, steps_ns);
}

}  // namespace assay::cli
