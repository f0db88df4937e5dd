// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/audit/correlation_matcher.h"

#include <utility>

namespace assay::audit {
namespace {

// Fibonacci hashing: dense ids spread over the table, crafted ids only cost probes, and their
// number is bounded by the capacity.
std::size_t hashed(std::uint64_t correlation, std::size_t mask) {
  return static_cast<std::size_t>((correlation * 0x9e3779b97f4a7c15ull) >> 32) & mask;
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
  op->op = record.op;
  op->direction = record.direction;
  op->stream = record.stream;
  op->slot = static_cast<std::uint8_t>(slot);
  op->is_refused = (record.flags & 1u) != 0;
  op->asked_bytes = record.amount;
  op->call_start_ns = record.start_ns;
  op->call_end_ns = record.end_ns;
}

void correlation_matcher::activity(const assay_record& record, std::int64_t start_ns,
                                   std::int64_t end_ns) {
  operation* op = find(record.correlation);
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
  } else if (op->op != record.op || op->stream != record.stream ||
             (record.op == ASSAY_OP_COPY && op->direction != record.direction)) {
    op->is_foreign = true;
    ++findings_.cells[index_of(record.op, record.direction, op->slot)].contradictory;
  }
  op->is_run = true;
  op->moved_bytes = record.amount;
  op->start_ns = start_ns;
  op->end_ns = end_ns;
  op->blocks = record.extra[0];
  op->weight_bytes = record.extra[1];
  op->kv_bytes = record.extra[2];
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
  for (const operation& op : operations_) {
    if (op.is_submitted && op.is_run) {
      judge(op);
      done.push_back(op);
    } else if (op.is_submitted && op.is_refused) {
      continue;  // nothing was enqueued, so nothing is missing
    } else if (is_final && (with_sentinels || op.slot != sentinel_slot)) {
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
  ++generation_;
}

void correlation_matcher::finish(std::vector<operation>& done) {
  collect(true, true, done);
}

}  // namespace assay::audit
