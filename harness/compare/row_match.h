// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Which row of base is which row of head. No row is lost here, and none is made.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "reports/model/comparison_report.h"
#include "reports/model/sample_set.h"

namespace assay::compare {

/// At least one is there. Lifetime: points into the sets.
struct matched_row {
  const model::sample_row* base = nullptr;
  const model::sample_row* head = nullptr;
};

/// Old name of a row in base, and its name in head.
using row_alias = std::pair<std::string, std::string>;

/// Every row of both sets in exactly one element: those of base in order, then what head adds.
/// Equal names and metrics match; the second of the same name matches the second.
std::vector<matched_row> match_rows(const model::sample_set& base, const model::sample_set& head,
                                    const std::vector<row_alias>& aliases = {});

/// Marks removed and added rows that resemble each other more than any other does, and by at least
/// six letters of ten, as perhaps the same. A suggestion; no state changes by it.
void suggest_renames(std::vector<model::comparison_row>& rows);

/// 1 for equal names, 0 for names without anything in common: 1 − edit distance ÷ longer length.
double name_likeness(const std::string& one, const std::string& other);

}  // namespace assay::compare
