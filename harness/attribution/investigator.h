// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// A trace to everything that a report says beyond the audit.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "harness/attribution/condition_fold.h"
#include "harness/attribution/deviation_fold.h"
#include "harness/attribution/level_fold.h"
#include "harness/attribution/link_fold.h"
#include "harness/attribution/pass_fold.h"
#include "harness/attribution/thread_fold.h"
#include "probes/trace/contract_row.h"
#include "probes/trace/run_facts.h"
#include "probes/trace/sink.h"
#include "reports/model/investigation.h"

namespace assay::attribution {

/// Takes a trace as a sink, in one pass, beside an auditor. The same trace gives the same result.
/// Errors: unusable_input, where the contract or the facts are not what the format says.
/// Memory: a few MiB and 144 bytes a decode step. Threads: one at a time.
class investigator final : public trace::sink {
 public:
  investigator() : passes_(joined_) {}
  /// Of two traces that are compared, launches are wanted step by step. Before the first record.
  void keep_launches() { passes_.keep_launches(); }
  investigator(const investigator&) = delete;
  investigator& operator=(const investigator&) = delete;

  result<void> contract(std::string_view json) override;
  result<void> facts(std::string_view json) override;
  result<void> records(std::span<const assay_record> records) override;
  result<void> snapshot(std::int64_t at_ns, std::span<const assay_reading> readings) override {
    levels_.take(at_ns, readings);
    deviations_.take_snapshot(readings);
    return {};
  }
  result<void> end() override { return {}; }

  /// Everything, around the audit of the same trace. Call it once.
  model::investigation finish(model::audit_report audit);

 private:
  void take(const assay_record& record);

  // Both that want each activity as it was joined.
  struct both final : activity_listener {
    both(activity_listener& a, activity_listener& b) : one(a), other(b) {}
    void on_activity(const joined_activity& work) override {
      one.on_activity(work);
      other.on_activity(work);
    }
    activity_listener& one;
    activity_listener& other;
  };

  std::vector<trace::contract_row> contract_;
  thread_fold threads_;
  deviation_fold deviations_;
  both joined_{threads_, deviations_};
  pass_fold passes_;
  link_fold links_;
  level_fold levels_;
  condition_fold conditions_;
  std::int64_t cache_bytes_ = 0;
  trace::run_facts ceilings_;  // of arithmetic alone
};

}  // namespace assay::attribution
