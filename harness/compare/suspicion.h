// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Tables that are too good, or too short, to be a measurement.
#pragma once

#include <string>
#include <vector>

#include "reports/model/comparison_report.h"

namespace assay::compare {

/// A sentence where three rows or more have numbers on both sides and every one of them is better
/// by a factor of 5 or more: what they ran most likely did nothing. Empty otherwise.
std::string implausible_gain(const std::vector<model::comparison_row>& rows);

/// A sentence where most of base's rows (three or more of them) are missing in head. Empty
/// otherwise.
std::string mostly_missing(const std::vector<model::comparison_row>& rows);

/// A sentence where both sides have rows and no row has pairs enough for an interval: a budget that
/// ended the screen at once would read as "nothing found". Empty otherwise.
std::string nothing_judged(const std::vector<model::comparison_row>& rows);

}  // namespace assay::compare
