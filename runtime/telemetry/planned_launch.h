// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What a ledger writes into a trace of a decode step's launches: the words that whoever plans and
// whoever reads share. The runtime neither writes nor reads it.
#pragma once

#include <cstdint>
#include <string>

namespace assay::telemetry {

/// One launch of a decode step, as somebody beside the program planned it.
struct planned_launch {
  std::string name;  ///< of the operator
  std::int64_t weight_bytes = 0;
  bool reads_kv = false;

  friend bool operator==(const planned_launch&, const planned_launch&) = default;
};

}  // namespace assay::telemetry
