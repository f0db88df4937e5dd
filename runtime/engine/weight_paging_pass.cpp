// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// One pass under a limit: looking up, paging in ahead, and what is published of it.
#include <algorithm>
#include <utility>

#include "runtime/engine/weight_paging.h"
#include "runtime/telemetry/check.h"
#include "runtime/telemetry/clock.h"
#include "runtime/telemetry/range.h"

namespace assay::engine {

using telemetry::counter_id;

void weight_paging::begin_request() {
  request_ = {};
}

result<void> weight_paging::check_ring() const {
  if (ring_.quarantined_bytes() == 0) return {};
  return ASSAY_FAIL(unavailable,
                    "engine: a copy of an earlier step may still be running, and the device could "
                    "not be waited for; load the model again");
}

result<void> weight_paging::check_files() const {
  for (const checkpoint::file_stamp& each : stamps_) ASSAY_TRY(each.check_unchanged());
  return {};
}

result<void> weight_paging::begin_pass(device::event begin, bool has_head) {
  pass_ = {};
  next_operator_ = next_staged_ = 0;
  end_operator_ = static_cast<std::uint32_t>(operators_.size()) - (has_head ? 0 : 1);
  for (streamed_operator& each : operators_) each.is_copied = each.is_launched = false;
  // What is pinned never comes this way, and of what does, nothing is kept for the next pass.
  if (kind_ == memory::residency_kind::pin) {
    for (streamed_operator& each : operators_) each.is_staged = false;
    for (held_region& each : held_) each.is_stale = true;
  }
  if (!is_settled_)
    return ASSAY_FAIL(out_of_memory,
                      "engine: the weights could not be placed when the limit was changed; change "
                      "it again");
  if (!source_ || source_->reads_files()) ASSAY_TRY(check_files());
  ASSAY_TRY(check_ring());
  return placed_.staging_bytes == 0 ? result<void>{} : copies_.wait(begin);
}

result<void> weight_paging::before_operator(submitter& compute) {
  const std::uint32_t current = next_operator_;
  ASSAY_CHECK(current < end_operator_, "an operator that the schedule does not have");
  ASSAY_TRY(stage_ahead(current));
  note_lookups(current);
  streamed_operator& of = operators_[current];
  if (!of.is_copied) return {};
  const device::scoped_range label(on_, telemetry::range::paging);
  ASSAY_TRY(compute.record(of.wait.before));
  ASSAY_TRY(compute.wait(of.copies.after));
  return compute.record(of.wait.after);
}

result<void> weight_paging::after_operator(submitter& compute) {
  streamed_operator& of = operators_[next_operator_++];
  of.is_launched = true;
  if (of.weights.empty()) return {};
  // By the operator's own reckoning of what it reads, not by what was asked of the copies.
  if (of.is_copied)
    for (const std::uint32_t weight : of.weights)
      pass_.staged_bytes += static_cast<std::int64_t>(slots_[weight]->bytes());
  const device::scoped_range label(on_, telemetry::range::paging);
  return compute.record(of.read);
}

result<void> weight_paging::note_resident_pass(submitter& compute) {
  ASSAY_CHECK(!is_streaming(), "a pass that streams is launched operator by operator");
  while (next_operator_ < end_operator_) {
    ASSAY_TRY(before_operator(compute));
    ASSAY_TRY(after_operator(compute));
  }
  return {};
}

result<void> weight_paging::stage_ahead(std::uint32_t current) {
  for (; next_staged_ < end_operator_; ++next_staged_) {
    streamed_operator& of = operators_[next_staged_];
    if (of.weights.empty() || of.is_staged) continue;
    ASSAY_TRY_ASSIGN(auto lease, find_room(of.placed_bytes));
    if (!lease) break;
    ASSAY_TRY(stage(next_staged_, std::move(*lease)));
  }
  ASSAY_CHECK(operators_[current].weights.empty() || operators_[current].is_staged,
              "the staging area has no room for the operator that is next");
  return {};
}

// Room that operators of before have left is taken back as it is needed, oldest first: the copies
// that go there will wait for those operators, the caller does not.
result<std::optional<memory::staging_lease>> weight_paging::find_room(std::uint64_t bytes) {
  while (true) {
    if (auto lease = ring_.lease(bytes)) return lease;
    if (held_.empty()) return std::nullopt;
    const held_region& oldest = held_.front();
    const streamed_operator& of = operators_[oldest.operator_index];
    // An operator that is still to come relies on it.
    const bool is_awaited = !of.is_launched && oldest.operator_index < next_staged_;
    if (!oldest.is_stale && is_awaited) return std::nullopt;
    ASSAY_TRY_ASSIGN(const memory::completion proof, proofs_.order(of.read, copies_.stream()));
    give_back_oldest(proof);
  }
}

void weight_paging::give_back_oldest(const memory::completion& proof) {
  held_region region = std::move(held_.front());
  held_.pop_front();
  streamed_operator& of = operators_[region.operator_index];
  if (!region.is_stale) of.is_staged = false;
  ring_.give_back(std::move(region.lease), proof);
  note_eviction(region);
}

void weight_paging::note_eviction(const held_region& region) {
  if (!region.is_kept) return;
  const streamed_operator& of = operators_[region.operator_index];
  const auto count = static_cast<std::int64_t>(of.weights.size());
  const auto bytes = static_cast<std::int64_t>(of.content_bytes);
  counters_.add(counter_id::paging_evictions_count, count);
  counters_.add(counter_id::paging_evicted_bytes, bytes);
  note_resident(-count, -bytes);
}

result<void> weight_paging::stage(std::uint32_t index, memory::staging_lease lease) {
  const device::scoped_range label(on_, telemetry::range::paging);
  streamed_operator& of = operators_[index];
  std::byte* at = area_.address() + lease.offset_bytes();
  lease.read_until(of.read);
  held_.push_back({index, std::move(lease)});
  of.is_staged = of.is_copied = true;
  ASSAY_TRY(copies_.record(of.copies.before));
  for (const std::uint32_t weight : of.weights) {
    const auto content = content_of(weight);
    ASSAY_TRY(copies_.copy(at, content.data(), content.size(), device::copy_direction::h2d));
    ++pass_.page_ins;
    pass_.page_in_bytes += static_cast<std::int64_t>(content.size());
    slots_[weight]->data = at;
    at += memory::granted_bytes(content.size());
  }
  ASSAY_TRY(copies_.record(of.copies.after));
  if (kind_ != memory::residency_kind::lru) return {};
  held_.back().is_kept = true;
  const auto count = static_cast<std::int64_t>(of.weights.size());
  const auto bytes = static_cast<std::int64_t>(of.content_bytes);
  counters_.add(counter_id::paging_admitted_count, count);
  counters_.add(counter_id::paging_admitted_bytes, bytes);
  note_resident(count, bytes);
  return {};
}

void weight_paging::note_lookups(std::uint32_t index) {
  const streamed_operator& of = operators_[index];
  std::int64_t bytes = 0;
  for (const std::uint32_t weight : schedule_.operators[index])
    bytes += static_cast<std::int64_t>(slots_[weight]->bytes());
  const auto count = static_cast<std::int64_t>(schedule_.operators[index].size());
  const std::int64_t missed = of.is_copied ? static_cast<std::int64_t>(of.weights.size()) : 0;
  const std::int64_t missed_bytes = of.is_copied ? static_cast<std::int64_t>(of.content_bytes) : 0;
  request_.lookups += count;
  request_.lookup_bytes += bytes;
  request_.hits += count - missed;
  request_.hit_bytes += bytes - missed_bytes;
  counters_.add(counter_id::paging_lookups_count, count);
  counters_.add(counter_id::paging_lookup_bytes, bytes);
  counters_.add(counter_id::paging_hits_count, count - missed);
  counters_.add(counter_id::paging_hit_bytes, bytes - missed_bytes);
}

result<void> weight_paging::publish_pass(const submitter& compute, std::int64_t step_ns) {
  std::int64_t copy_ns = 0;
  std::int64_t stall_ns = 0;
  for (const streamed_operator& each : operators_) {
    if (!each.is_copied) continue;
    ASSAY_TRY_ASSIGN(const std::int64_t copied_ns, copies_.elapsed_ns(each.copies));
    ASSAY_TRY_ASSIGN(const std::int64_t waited_ns, compute.elapsed_ns(each.wait));
    copy_ns += copied_ns;
    stall_ns += waited_ns;
  }
  copies_.publish();
  counters_.add(counter_id::paging_page_ins_count, pass_.page_ins);
  counters_.add(counter_id::paging_h2d_bytes, pass_.page_in_bytes);
  counters_.add(counter_id::paging_staged_bytes, pass_.staged_bytes);
  counters_.add(counter_id::paging_prefetch_waste_bytes, pass_.page_in_bytes - pass_.staged_bytes);
  counters_.add(counter_id::paging_h2d_ns, copy_ns);
  counters_.add(counter_id::paging_stall_ns, stall_ns);
  request_.copy_bytes += pass_.page_in_bytes;
  request_.copy_ns += copy_ns;
  request_.stall_ns += stall_ns;
  request_.step_ns += step_ns;
  publish_ratios();
  // A pass that fails before it begins has nothing to abandon but this one, told already.
  pass_ = {};
  return {};
}

// A quotient whose denominator is 0 is not written: there was nothing to be a part of.
void weight_paging::publish_ratios() {
  const auto ratio = [](std::int64_t part, std::int64_t whole) {
    return static_cast<double>(part) / static_cast<double>(whole);
  };
  const request_sums& r = request_;
  if (r.lookups > 0)
    counters_.set_real(counter_id::paging_count_hit_ratio, ratio(r.hits, r.lookups));
  if (r.lookup_bytes > 0)
    counters_.set_real(counter_id::paging_byte_hit_ratio, ratio(r.hit_bytes, r.lookup_bytes));
  if (r.copy_ns > 0)
    counters_.set_real(counter_id::paging_h2d_bytes_per_s, 1e9 * ratio(r.copy_bytes, r.copy_ns));
  // copy + compute - step, where compute is the step less what it stood waiting for copies.
  const std::int64_t compute_ns = r.step_ns - r.stall_ns;
  const std::int64_t shorter_ns = std::min(r.copy_ns, compute_ns);
  if (shorter_ns > 0)
    counters_.set_real(counter_id::paging_overlap_ratio,
                       ratio(std::max<std::int64_t>(r.copy_ns - r.stall_ns, 0), shorter_ns));
}

void weight_paging::abandon_pass(submitter& compute) {
  // What was submitted was copied, and no operator that was launched read it.
  std::int64_t used_bytes = pass_.staged_bytes;
  counters_.add(counter_id::paging_page_ins_count, pass_.page_ins);
  counters_.add(counter_id::paging_h2d_bytes, pass_.page_in_bytes);
  counters_.add(counter_id::paging_staged_bytes, used_bytes);
  counters_.add(counter_id::paging_prefetch_waste_bytes, pass_.page_in_bytes - used_bytes);
  pass_ = {};
  for (streamed_operator& each : operators_) each.is_staged = false;
  while (!held_.empty()) {
    // Nothing that a cache held is found again: it goes with its room.
    note_eviction(held_.front());
    ring_.quarantine(std::move(held_.front().lease));
    held_.pop_front();
  }
  const host_time entry = host_now();
  const auto proof = proofs_.wait(copies_.stream(), compute.stream());
  counters_.add(counter_id::device_sync_wait_ns, host_now() - entry);
  counters_.add(counter_id::device_syncs_count, 2);
  copies_.publish();
  if (proof) ring_.clear(*proof);
}

}  // namespace assay::engine
