// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// From processes to pairs.
#pragma once

#include <vector>

#include "harness/compare/paired_row.h"
#include "harness/compare/run_record.h"

namespace assay::compare {

/// One row for each (subject, name, metric) that a process of either side left, in the order of the
/// subjects; a subject without any is a row of its own name. A pair whose other half is missing is
/// no pair. A row that some processes of a side left and others did not has failed on that side.
/// Pure.
std::vector<paired_row> paired_rows(const run_log& log);

/// The subject of each row of paired_rows().
std::vector<std::uint32_t> subjects_of_rows(const run_log& log);

}  // namespace assay::compare
