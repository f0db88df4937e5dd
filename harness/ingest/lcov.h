// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Coverage as lcov writes it, and the lines that a diff wrote.
#pragma once

#include <string_view>

#include "reports/model/coverage_data.h"
#include "runtime/telemetry/result.h"

namespace assay::ingest {

/// A tracefile (geninfo(1)): SF, DA, BRDA and end_of_record; its own sums are not believed but made
/// anew. A file that comes twice is added up. Errors: unusable_input, naming the file, the line and
/// the reason, also where it ends within a record or holds none.
result<model::coverage_data> parse_lcov(std::string_view text, std::string_view file);

/// A unified diff, as git writes it: the lines it adds, by their numbers in the new file. Errors:
/// unusable_input, naming the file, the line and the reason, also where a hunk is cut short.
result<model::touched_lines> parse_diff(std::string_view text, std::string_view file);

}  // namespace assay::ingest
