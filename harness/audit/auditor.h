// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The audit of one trace: feed it, then finish it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "harness/audit/rule.h"
#include "harness/audit/trace_fold.h"
#include "probes/trace/run_facts.h"
#include "probes/trace/sink.h"
#include "reports/model/audit_report.h"

namespace assay::audit {

/// Takes a trace as a sink does, in one pass, and judges it. The same trace gives the same report,
/// byte for byte: it reads no clock, no environment and no other file.
/// Errors: unusable_input, where the contract or the facts are not what the format says, where
/// there are two contracts, or where records or snapshots come before one. Records and snapshots
/// themselves never fail it: what they cannot mean is counted, and the report names it.
/// Memory: a few MiB, whatever the trace's length.
/// Threads: one at a time.
/// Overhead: docs/methodology.md carries the measured records/s.
class auditor final : public trace::sink {
 public:
  /// `with` must outlive the auditor; tests leave rules out to see their lies survive.
  explicit auditor(std::span<const rule> with = rules()) : rules_(with) {}

  result<void> contract(std::string_view json) override;
  result<void> facts(std::string_view json) override;
  result<void> records(std::span<const assay_record> records) override;
  result<void> snapshot(std::int64_t at_ns, std::span<const assay_reading> readings) override;
  result<void> end() override;

  /// Judges what came. `incompleteness` is the reader's sentence where the trace has no end; a
  /// report of such a trace is not complete and says why. Call it once.
  /// Errors: unusable_input, where no contract came.
  result<model::audit_report> finish(std::string_view incompleteness = {});

 private:
  std::span<const rule> rules_;
  std::unique_ptr<trace_fold> fold_;
  trace::run_facts facts_;
  bool has_ended_ = false;
};

}  // namespace assay::audit
