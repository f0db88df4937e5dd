// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Floors of this class of machine: made from logs, and used by a comparison.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "harness/compare/calibration.h"
#include "harness/compare/paired_row.h"
#include "harness/compare/run_record.h"
#include "runtime/telemetry/result.h"

namespace assay::cli {

/// Errors: unusable_input, naming the log.
result<compare::calibration> calibration_of(const std::vector<std::string>& logs,
                                            std::size_t pairs_a_result);

/// A line a row, and one for each that stayed uncalibrated, with how many results it has.
std::string calibration_words(const compare::calibration& floors);

/// Reads a file of floors into the rules; returns by what turns their processes ran, as the file
/// says it. Errors: unusable_input, also where it is of another processor or number of cores than
/// this machine's.
result<std::string> take_floors(const std::string& file, compare::decision_rules& rules);

/// Errors: unusable_input, where the file's floors are of processes that took other turns than
/// those of a run with these facts.
result<void> check_grain(const std::string& file, const std::string& grain,
                         const std::vector<model::fact>& facts);

/// Errors: unusable_input, where the file has a floor for none of these rows: every one of them
/// would be judged as on an uncalibrated machine. Rows of programs that do not serve slices may be
/// called otherwise than they are listed, and are not looked at.
result<void> check_floors_name(const std::string& file,
                               const std::vector<compare::run_subject>& subjects,
                               const compare::decision_rules& rules);

}  // namespace assay::cli
