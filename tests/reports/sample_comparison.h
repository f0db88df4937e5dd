// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// A comparison that has one of everything, for the tests of the forms.
#pragma once

#include <cstddef>
#include <string>

#include "reports/model/comparison_report.h"

namespace assay::reports {

/// A row with numbers on both sides, of `state`, changed by `change_ratio`.
model::comparison_row changed_row(const std::string& name, model::row_state state,
                                  double change_ratio);

/// Every state, several units and metrics, an exact row, a rename, controls and notes.
model::comparison_report sample_comparison();

/// The same, but contaminated and cut off, from files.
model::comparison_report doubtful_comparison();

/// `count` rows of that state with names of 200 characters.
model::comparison_report long_comparison(std::size_t count, model::row_state state);

}  // namespace assay::reports
