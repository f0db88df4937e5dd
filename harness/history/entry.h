// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// One result as a history keeps it: of an audit, a comparison, or a report.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "reports/model/audit_report.h"

namespace assay::history {

/// One named number of a result; without a value the reason stands in `absence`.
struct measure {
  std::string name{};
  std::string metric{};  ///< of a row with several; empty where the name says all
  std::string unit{};
  std::optional<double> value{};
  std::string absence{};
  std::string state{};  ///< the verdict of a counter, the state of a row
};

struct entry {
  std::string verb{};     ///< audit, compare, report
  std::string outcome{};  ///< the word of the exit code
  std::string commit{};   ///< what was measured; empty where nobody said
  std::vector<model::fact> facts{};
  std::vector<measure> measures{};
};

/// An entry and what the history knows of it.
struct kept_entry {
  std::string key{};                ///< of its content (entry_key)
  std::int64_t recorded_at_ns = 0;  ///< realtime clock, when it was first added
  history::entry entry{};
};

}  // namespace assay::history
