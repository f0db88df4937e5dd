// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The contract of a counter as a trace carries it: the same fields as the catalog's, owned.
#pragma once

#include <string>

#include "runtime/telemetry/contract.h"

namespace assay::trace {

/// As telemetry::claim: either a kind and a measure, or a reason why no device record can judge.
struct claim_row {
  telemetry::activity kind = telemetry::activity::none;
  telemetry::direction dir = telemetry::direction::any;
  telemetry::range range = telemetry::range::any;
  telemetry::measure measure = telemetry::measure::none;
  std::string reason;

  friend bool operator==(const claim_row&, const claim_row&) = default;
};

/// As telemetry::pairing: either a byte counter and a link, or a reason why there is none.
struct pairing_row {
  std::string bytes_counter;
  telemetry::link_class link = telemetry::link_class::none;
  std::string reason;

  friend bool operator==(const pairing_row&, const pairing_row&) = default;
};

/// One row, from this program's catalog or from any other program's trace. A row that contract_json
/// has parsed satisfies what the catalog is held to at compile time.
struct contract_row {
  std::string name;
  assay::unit unit = assay::unit::count;
  telemetry::counter_kind kind = telemetry::counter_kind::count;
  clock_domain clock = clock_domain::none;
  std::string bracket;
  telemetry::host_blocking blocks_host = telemetry::host_blocking::no;
  claim_row claims;
  pairing_row pairs_with;
  std::string identity;
  telemetry::reset_scope reset = telemetry::reset_scope::per_process;
  telemetry::value_limits limits;  ///< none where the contract names none

  friend bool operator==(const contract_row&, const contract_row&) = default;
};

}  // namespace assay::trace
