// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/audit/sentinel_fold.h"

#include <algorithm>

#include "harness/audit/saturating.h"

namespace assay::audit {
namespace {

constexpr std::int64_t announces_launch = 2;
// The announcement's stamps and the record's come from two threads.
constexpr std::int64_t span_slack_ns = 5'000;

bool is_answer(const assay_record& announced, const operation& shown) {
  if (announced.extra[0] == announces_launch) {
    if (shown.op != ASSAY_OP_LAUNCH || shown.blocks != announced.amount) return false;
  } else {
    if (shown.op != ASSAY_OP_COPY || shown.moved_bytes != announced.amount) return false;
    if (announced.direction != 0 && announced.direction != shown.direction) return false;
  }
  const bool has_span = announced.start_ns != 0 || announced.end_ns != 0;
  return !has_span || (shown.start_ns >= saturating_sub(announced.start_ns, span_slack_ns) &&
                       shown.end_ns <= saturating_add(announced.end_ns, span_slack_ns));
}

}  // namespace

void sentinel_fold::confirm(const assay_record& announced, const operation& shown) {
  ++findings_.confirmed;
  // The record may be longer than what the launch counted, by being preempted; never shorter.
  if (announced.extra[0] == announces_launch &&
      saturating_sub(shown.end_ns, shown.start_ns) <
          saturating_sub(announced.extra[1], span_slack_ns))
    ++findings_.mistimed;
}

void sentinel_fold::take_operation(const operation& op) {
  if (op.op != ASSAY_OP_COPY && op.op != ASSAY_OP_LAUNCH) return;
  const auto known = std::find_if(announced_.begin(), announced_.end(),
                                  [&op](const assay_record& r) { return is_answer(r, op); });
  if (known != announced_.end()) {
    confirm(*known, op);
    announced_.erase(known);
  } else if (shown_.size() < max_open) {
    shown_.push_back(op);
  } else {
    ++findings_.surplus;
  }
}

void sentinel_fold::take_announcement(const assay_record& record) {
  ++findings_.announced;
  if (record.op != 1) ++findings_.bad_content;
  const auto known = std::find_if(shown_.begin(), shown_.end(),
                                  [&record](const operation& op) { return is_answer(record, op); });
  if (known != shown_.end()) {
    confirm(record, *known);
    shown_.erase(known);
  } else if (announced_.size() < max_open) {
    announced_.push_back(record);
  } else {
    ++findings_.missing;
  }
}

void sentinel_fold::finish() {
  findings_.missing += announced_.size();
  findings_.surplus += shown_.size();
  announced_.clear();
  shown_.clear();
}

}  // namespace assay::audit
