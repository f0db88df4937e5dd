// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The tables of an investigation that divide time, or bytes by time.
#pragma once

#include <string>

#include "reports/model/investigation.h"
#include "reports/wording/word_table.h"

namespace assay::reports {

/// Where decode steps and prefills spent their time; the residual is a row of its own.
word_table time_table(const model::investigation& report);
/// Whether a cache may have served what a step reads.
std::string tier_words(const model::investigation& report);
/// Launches of decode steps by what they read.
word_table launches_table(const model::investigation& report);
/// The decode steps that took longest, and where their time went.
word_table slowest_table(const model::investigation& report);
word_table bandwidth_table(const model::investigation& report);
/// Levels that the runtime published, and who else says so.
word_table levels_table(const model::investigation& report);
/// The kernel's account of each thread beside the records.
word_table threads_table(const model::investigation& report);
/// What each link carried when it was probed, from first to last.
word_table links_table(const model::investigation& report);

}  // namespace assay::reports
