// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Makes traces: a small runtime on a small device, both simulated in virtual time, so that a test
// can say exactly what is honest and what is a lie.
#pragma once

#include <cstdint>
#include <functional>
#include <random>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "harness/audit/auditor.h"
#include "probes/trace/contract_row.h"
#include "probes/trace/run_facts.h"
#include "reports/model/audit_report.h"

namespace assay::audit_test {

/// Rows of the test contract.
enum row : std::size_t {
  weights_bytes,
  weights_copies,
  weights_ns,
  weights_rate,
  inputs_bytes,
  inputs_ns,
  logits_bytes,
  compute_ns,
  launches,
  weight_reads,
  live_bytes,
  peak_bytes,
  frees,
  syncs,
  step_ns,
  tokens,
  random_draws,  ///< honestly never written
  graph_nodes,   ///< honestly not applicable
  row_total
};

std::vector<trace::contract_row> test_contract();

struct snapshot_piece {
  std::int64_t at_ns = 0;
  std::vector<assay_reading> readings;
};
using piece = std::variant<assay_record, snapshot_piece>;

/// A trace, piece by piece, open to damage.
struct test_trace {
  std::vector<trace::contract_row> rows = test_contract();
  trace::run_facts facts;
  std::vector<piece> pieces;

  model::audit_report audit(std::span<const audit::rule> with = audit::rules()) const;
  void feed(trace::sink& into) const;

  /// The nth record that fits, counted from 0; null where there is none.
  assay_record* find(const std::function<bool(const assay_record&)>& fits, int nth = 0);
  /// Removes it.
  void drop(const std::function<bool(const assay_record&)>& fits, int nth = 0);
};

/// How the run goes.
struct run_shape {
  int requests = 2;
  int steps = 20;   ///< decode steps a request
  int tensors = 8;  ///< weight copies of the load
  std::int64_t tensor_bytes = 1'000'003;
  int kernels = 12;  ///< a step
  std::int64_t kernel_ns = 30'000;
  double device_noise = 0.0;     ///< relative spread of work and gaps
  double disturbed_ratio = 0.0;  ///< share of steps that lose 1 to 10 ms in a gap
  std::uint64_t seed = 1;
  std::int64_t clock_offset_ns = 0;  ///< device clock minus host clock
};

/// Where a lie can get in: between the honest counters and the reader.
struct lie {
  /// Changes the readings of a snapshot; `window` is an assay_window.
  std::function<void(std::vector<assay_reading>&, int window)> on_snapshot;
  /// Rows whose reset at a request's begin is forgotten.
  std::vector<row> forgotten_resets;
};

/// A run of the simulated runtime.
test_trace simulate(const run_shape& shape = {}, const lie& told = {});

const model::counter_line& line_of(const model::audit_report& report, row which);
/// Ids of the rules that fired on a counter or a subject, in order, without repeats.
std::vector<std::string> rules_on(const model::audit_report& report, const std::string& subject);
std::string name_of(row which);
/// Every rule but one.
std::vector<audit::rule> all_but(std::string_view id);
/// Findings and reasons in one text, for messages of failed tests and for comparison byte by byte.
std::string text_of(const model::audit_report& report);

inline void scale(assay_reading& reading, double factor) {
  reading.bits = static_cast<std::int64_t>(static_cast<double>(reading.bits) * factor);
}

/// One row, in every snapshot.
lie scaling(row which, double factor);

}  // namespace assay::audit_test
