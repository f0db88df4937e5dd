// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The tables of an investigation that follow counters over the run.
#pragma once

#include "reports/model/investigation.h"
#include "reports/wording/word_table.h"

namespace assay::reports {

/// What each counter grew by in a decode step: hits, page-ins, evictions, bytes, times.
word_table flows_table(const model::investigation& report);
/// Claimed less what another party of the trace said of the same window.
word_table deviations_table(const model::investigation& report);

}  // namespace assay::reports
