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

/// A sentence where a row of both sides has too few pairs for an interval: a budget that was over
/// before its turn came, or too few pairs asked for. It was not looked at, whatever was found of
/// the others.
std::string too_few_pairs(const std::vector<model::comparison_row>& rows);

}  // namespace assay::compare
