// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What the audit needs to know of a counter's contract.
#pragma once

#include <span>
#include <vector>

#include "probes/trace/contract_row.h"

namespace assay::audit {

/// One row of the contract, with its pair resolved. The trace's own row, not the catalog's: a
/// foreign program has another catalog.
struct counter_spec : trace::contract_row {
  int paired_row = -1;  ///< for a duration or a rate: row of the bytes that it divides; -1 none

  bool is_real() const { return assay::is_real(unit); }
  bool is_cumulative() const {
    return kind == telemetry::counter_kind::count || kind == telemetry::counter_kind::duration;
  }
  bool is_timed() const {
    return kind == telemetry::counter_kind::duration || kind == telemetry::counter_kind::rate;
  }
  /// Do device records of any kind judge it?
  bool has_claim() const {
    return claims.kind != telemetry::activity::none && claims.measure != telemetry::measure::none;
  }
};

std::vector<counter_spec> specs_of(std::span<const trace::contract_row> rows);

}  // namespace assay::audit
