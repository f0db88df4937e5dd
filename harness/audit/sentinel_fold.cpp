// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/audit/sentinel_fold.h"

#include "harness/audit/saturating.h"

namespace assay::audit {

void sentinel_fold::take_operation(const operation& op) {
  if (op.op == ASSAY_OP_COPY) shown_bytes_ = saturating_add(shown_bytes_, op.moved_bytes);
}

void sentinel_fold::settle(std::int64_t expected_bytes) {
  if (shown_bytes_ == expected_bytes)
    ++findings_.confirmed;
  else if (shown_bytes_ < expected_bytes)
    ++findings_.missing;
  else
    ++findings_.surplus;
  shown_bytes_ = 0;
}

void sentinel_fold::take_announcement(const assay_record& record) {
  ++findings_.announced;
  if (record.op != 1) ++findings_.bad_content;
  if (is_ahead_) {
    settle(expected_bytes_);
    expected_bytes_ = record.amount;
  } else if (shown_bytes_ == 0) {
    is_ahead_ = true;
    expected_bytes_ = record.amount;
  } else {
    settle(record.amount);
  }
}

void sentinel_fold::finish() {
  if (is_ahead_)
    settle(expected_bytes_);
  else if (shown_bytes_ != 0)
    ++findings_.surplus;
}

}  // namespace assay::audit
