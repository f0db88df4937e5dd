// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Coverage in the words and figures that every form shares.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "reports/model/coverage_table.h"

namespace assay::reports {

inline constexpr std::array coverage_headings{"flag",  "lines",         "branches",
                                              "files", "touched lines", "note"};
using coverage_cells = std::array<std::string, coverage_headings.size()>;

/// A row a flag: "81.2 % → 80.1 % (-1.1 points)", "81.2 % → ?" where a side was not uploaded, which
/// the note explains; "8 of 10 (80.0 %)" of the touched lines.
std::vector<coverage_cells> coverage_rows(const model::coverage_table& table);

/// "src/a.cpp [unit]: 90.0 % → 70.0 %, 9 of 10 lines, then 7 of 10", the largest loss first.
std::vector<std::string> coverage_losses(const model::coverage_table& table);

}  // namespace assay::reports
