// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// A run's log as JSON lines: a head, a line for each process as it ends, and an end. Without the
// end the run was killed, and what is there still counts as far as it goes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/compare/run_record.h"
#include "runtime/telemetry/result.h"

namespace assay::compare {

/// One line each, with its line break.
std::string head_line(const run_log& log);
std::string record_line(const process_record& record);
/// `added` are the facts that came after the head was written.
std::string end_line(const run_log& log, const std::vector<model::fact>& added);

/// Whether a text begins like such a log.
bool is_run_log(std::string_view text);

/// Errors: unusable_input, naming `file`, the line, the place in it and the reason. A last line
/// that is cut off is not an error: the log is then incomplete.
result<run_log> parse_run_log(std::string_view text, std::string_view file);

}  // namespace assay::compare
