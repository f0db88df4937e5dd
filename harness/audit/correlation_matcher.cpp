// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/audit/correlation_matcher.h"

#include <algorithm>
#include <utility>

#include "harness/audit/saturating.h"

namespace assay::audit {
namespace {

// Fibonacci hashing: dense ids spread over the table, crafted ids only cost probes, and their
// number is bounded by the capacity.
std::size_t hashed(std::uint64_t correlation, std::size_t mask) {
  return static_cast<std::size_t>((correlation * 0x9e3779b97f4a7c15ull) >> 32) & mask;
}

bool is_foreign(const operation& call, const assay_record& work) {
  if (call.op != work.op) return true;
  return call.stream != work.stream ||
         (call.op == ASSAY_OP_COPY && call.direction != work.direction);
}

bool is_split_launch(const operation& op) {
  return op.is_split && op.is_submitted && op.op == ASSAY_OP_LAUNCH;
}

// Parts beyond what was asked for make a copy no less whole: the sum then shows it.
bool is_whole_copy(const operation& op) {
  return op.moved_bytes >= op.asked_bytes;
}

bool is_whole_launch(const operation& op) {
  return op.pieces > 0 && op.pieces >= op.asked_bytes;
}

std::int64_t pageable_bytes_of(const assay_record& record) {
  const bool is_pageable = record.op == ASSAY_OP_COPY && (record.flags & ASSAY_PAGEABLE) != 0;
  return is_pageable ? record.amount : 0;
}

bool is_programmatic(const assay_record& record) {
  return record.op == ASSAY_OP_LAUNCH && (record.flags & ASSAY_PROGRAMMATIC) != 0;
}

std::size_t index_of(std::uint8_t op, std::uint8_t direction, int slot) {
  return static_cast<std::size_t>(cell_of(op, direction, slot));
}

}  // namespace

operation* correlation_matcher::find(std::uint64_t correlation) {
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t at = hashed(correlation, mask);; at = (at + 1) & mask) {
    if (slots_[at].generation != generation_) return nullptr;
    operation& candidate = operations_[slots_[at].index];
    if (candidate.correlation == correlation) return &candidate;
  }
}

void correlation_matcher::place(std::uint64_t correlation, std::uint32_t index) {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = hashed(correlation, mask);
  while (slots_[at].generation == generation_) at = (at + 1) & mask;
  slots_[at] = {generation_, index};
}

void correlation_matcher::grow() {
  slots_.assign(slots_.size() * 2, bucket{});
  generation_ = 1;
  for (std::size_t i = 0; i < operations_.size(); ++i)
    place(operations_[i].correlation, static_cast<std::uint32_t>(i));
}

operation& correlation_matcher::insert(std::uint64_t correlation) {
  if (operations_.size() * 2 >= slots_.size()) grow();
  place(correlation, static_cast<std::uint32_t>(operations_.size()));
  operations_.emplace_back();
  operations_.back().correlation = correlation;
  return operations_.back();
}

void correlation_matcher::submission(const assay_record& record) {
  const int slot = range_slot(record.range);
  operation* op = find(record.correlation);
  if (op != nullptr && op->is_submitted) {
    ++findings_.total;
    ++findings_.cells[index_of(record.op, record.direction, slot)].duplicates;
    return;
  }
  if (op == nullptr) op = &insert(record.correlation);
  if (op->is_run && (op->op != record.op || op->stream != record.stream ||
                     (record.op == ASSAY_OP_COPY && op->direction != record.direction)))
    op->is_foreign = true;
  op->is_submitted = true;
  op->is_split = (record.flags & ASSAY_SPLIT) != 0;
  op->op = record.op;
  op->direction = record.direction;
  op->stream = record.stream;
  op->slot = static_cast<std::uint8_t>(slot);
  op->is_refused = (record.flags & ASSAY_REFUSED) != 0;
  op->asked_bytes = record.amount;
  op->call_start_ns = record.start_ns;
  op->call_end_ns = record.end_ns;
}

void correlation_matcher::activity(const assay_record& record, std::int64_t start_ns,
                                   std::int64_t end_ns) {
  operation* op = find(record.correlation);
  if (op != nullptr && op->is_split && op->is_submitted && !op->is_run) {
    if (op->op != ASSAY_OP_LAUNCH) return add_part(*op, record, start_ns, end_ns);
    return record.op == ASSAY_OP_COPY ? add_hidden_copy(*op, record, start_ns, end_ns)
                                      : add_kernel(*op, record, start_ns, end_ns);
  }
  if (op != nullptr && op->is_run) {
    const int slot = op->is_submitted ? op->slot : range_slot(record.range);
    ++findings_.total;
    ++findings_.cells[index_of(record.op, record.direction, slot)].duplicates;
    ++findings_.cells[index_of(op->op, op->direction, slot)].duplicates;
    return;
  }
  if (op == nullptr) op = &insert(record.correlation);
  if (!op->is_submitted) {
    op->op = record.op;
    op->direction = record.direction;
    op->stream = record.stream;
    op->slot = static_cast<std::uint8_t>(range_slot(record.range));
  } else if (is_foreign(*op, record)) {
    op->is_foreign = true;
    ++findings_.cells[index_of(record.op, record.direction, op->slot)].contradictory;
  }
  op->is_run = true;
  op->moved_bytes = record.amount;
  op->pageable_bytes = pageable_bytes_of(record);
  op->is_programmatic = is_programmatic(record);
  op->start_ns = start_ns;
  op->end_ns = end_ns;
  op->blocks = record.extra[0];
  op->weight_bytes = record.extra[1];
  op->kv_bytes = record.extra[2];
}

void correlation_matcher::add_part(operation& copy, const assay_record& record,
                                   std::int64_t start_ns, std::int64_t end_ns) {
  if (is_foreign(copy, record)) {
    copy.is_foreign = true;
    ++findings_.cells[index_of(record.op, record.direction, copy.slot)].contradictory;
  }
  const bool is_first = copy.pieces++ == 0;
  copy.start_ns = is_first ? start_ns : std::min(copy.start_ns, start_ns);
  copy.end_ns = is_first ? end_ns : std::max(copy.end_ns, end_ns);
  copy.moved_bytes = saturating_add(copy.moved_bytes, record.amount);
  copy.pageable_bytes = saturating_add(copy.pageable_bytes, pageable_bytes_of(record));
  copy.is_run = is_whole_copy(copy);
}

void correlation_matcher::add_kernel(operation& launch, const assay_record& record,
                                     std::int64_t start_ns, std::int64_t end_ns) {
  ++launch.pieces;
  operation& kernel = kernels_.emplace_back(launch);
  kernel.is_run = true;
  kernel.is_foreign = is_foreign(launch, record);
  kernel.is_programmatic = is_programmatic(record);
  kernel.start_ns = start_ns;
  kernel.end_ns = end_ns;
  kernel.blocks = record.extra[0];
  kernel.weight_bytes = record.extra[1];
  kernel.kv_bytes = record.extra[2];
  cell_defects& cell = findings_.cells[index_of(launch.op, launch.direction, launch.slot)];
  const std::uint64_t before = cell.total();
  ++cell.activities;
  if (kernel.is_foreign || launch.is_refused) ++cell.contradictory;
  if (start_ns == 0 && end_ns == 0) ++cell.unstamped;
  findings_.total += cell.total() - before;
}

// A node of a graph: its call is the graph's launch, which asked for no copy and says nothing of
// its direction. Whoever counts calls never sees it.
void correlation_matcher::add_hidden_copy(const operation& launch, const assay_record& record,
                                          std::int64_t start_ns, std::int64_t end_ns) {
  operation& copy = kernels_.emplace_back(launch);
  copy.op = ASSAY_OP_COPY;
  copy.direction = record.direction;
  copy.is_run = true;
  copy.is_foreign = launch.stream != record.stream;
  copy.asked_bytes = copy.moved_bytes = record.amount;
  copy.pageable_bytes = pageable_bytes_of(record);
  copy.start_ns = start_ns;
  copy.end_ns = end_ns;
  cell_defects& cell = findings_.cells[index_of(copy.op, copy.direction, copy.slot)];
  const std::uint64_t before = cell.total();
  ++cell.activities;
  if (copy.is_foreign || launch.is_refused) ++cell.contradictory;
  if (start_ns == 0 && end_ns == 0) ++cell.unstamped;
  findings_.total += cell.total() - before;
}

// Each kernel was judged when it came; here they are counted.
void correlation_matcher::judge_launch(const operation& split) {
  cell_defects& cell = findings_.cells[index_of(split.op, split.direction, split.slot)];
  ++cell.submissions;
  const std::int64_t wanted = split.asked_bytes;
  const std::int64_t missing = std::max<std::int64_t>(wanted, 1) - split.pieces;
  const std::int64_t surplus = wanted > 0 ? std::max<std::int64_t>(-missing, 0) : 0;
  cell.lost += static_cast<std::uint64_t>(std::max<std::int64_t>(missing, 0));
  cell.duplicates += static_cast<std::uint64_t>(surplus);
  findings_.total += static_cast<std::uint64_t>(std::max<std::int64_t>(missing, 0) + surplus);
}

void correlation_matcher::judge(const operation& joined) {
  cell_defects& cell = findings_.cells[index_of(joined.op, joined.direction, joined.slot)];
  const std::uint64_t before = cell.total();
  ++cell.submissions;
  ++cell.activities;
  if (joined.is_foreign || joined.is_refused) ++cell.contradictory;
  if (joined.start_ns == 0 && joined.end_ns == 0) ++cell.unstamped;
  if (joined.op == ASSAY_OP_COPY && joined.asked_bytes != joined.moved_bytes) ++cell.partial;
  findings_.total += cell.total() - before;
}

void correlation_matcher::give_up(const operation& half) {
  cell_defects& cell = findings_.cells[index_of(half.op, half.direction, half.slot)];
  ++findings_.total;
  if (half.is_submitted) {
    ++cell.submissions;
    ++cell.lost;
    return;
  }
  ++cell.activities;
  ++cell.orphans;
  if (half.slot == 0)
    ++findings_.orphans_without_range[index_of(half.op, half.direction, 0) / range_slots];
}

void correlation_matcher::collect(bool is_final, bool with_sentinels,
                                  std::vector<operation>& done) {
  done.clear();
  kept_.clear();
  std::swap(done, kernels_);
  for (const operation& op : operations_) {
    const bool is_over = is_final && (with_sentinels || op.slot != sentinel_slot);
    if (is_split_launch(op) && (is_whole_launch(op) || (is_over && !op.is_refused))) {
      judge_launch(op);
    } else if (op.is_submitted && (op.is_run || (is_over && op.pieces > 0))) {
      judge(op);
      done.push_back(op);
    } else if (op.is_submitted && op.is_refused) {
      continue;  // nothing was enqueued, so nothing is missing
    } else if (is_over) {
      give_up(op);
    } else {
      kept_.push_back(op);
    }
  }
  std::swap(operations_, kept_);
  if (++generation_ == 0) {
    slots_.assign(slots_.size(), bucket{});
    generation_ = 1;
  }
  for (std::size_t i = 0; i < operations_.size(); ++i)
    place(operations_[i].correlation, static_cast<std::uint32_t>(i));
}

void correlation_matcher::drain(bool is_final, std::vector<operation>& done) {
  collect(is_final, false, done);
  if (!is_full()) return;
  ++findings_.overflows;
  operations_.clear();
  kernels_.clear();
  ++generation_;
}

void correlation_matcher::finish(std::vector<operation>& done) {
  collect(true, true, done);
}

}  // namespace assay::audit
