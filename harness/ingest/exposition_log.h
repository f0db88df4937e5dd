// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Metrics in the lines of a log, found by a pattern.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reports/model/exposition.h"
#include "runtime/telemetry/result.h"

namespace assay::ingest {

/// A line's text with {name} where a number stands: "throughput: {tokens_per_s} tokens/s". The text
/// may stand anywhere in the line; every blank stands for any run of blanks.
struct log_pattern {
  std::vector<std::string> between{};  ///< texts; one more than names
  std::vector<std::string> names{};
};

/// Errors: usage, where it has no {name}, two without text between them, or one twice.
result<log_pattern> parse_log_pattern(std::string_view text);

/// A snapshot ends where a name comes again. Lines that no pattern fits are counted in `line_count`
/// alone: a log is full of them. A line that fits and holds something else than a number at a
/// {name} is skipped and stands among the problems. Errors: none. Pure.
std::vector<model::exposition> parse_exposition_log(std::string_view text, std::string_view file,
                                                    const std::vector<log_pattern>& patterns);

}  // namespace assay::ingest
