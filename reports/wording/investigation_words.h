// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What every form of an investigation says, and in which order.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reports/model/investigation.h"
#include "reports/wording/word_document.h"
#include "reports/wording/word_table.h"

namespace assay::reports {

/// The lines that stand first. Where the audit found something, it is the first of them, before
/// any figure, and names each finding; else what was run, how fast, and the audit's verdict.
std::vector<std::string> investigation_headline(const model::investigation& report);

/// Whether the first line of the headline is a warning.
bool is_headline_warning(const model::investigation& report);

/// Every table, in order: time, launches, bandwidths, second account, counters, findings, links,
/// the machine's state, conditions.
std::vector<word_table> investigation_tables(const model::investigation& report);

/// All of it.
word_document investigation_document(const model::investigation& report);

/// "launch of compute, 262,656 B of weights each, reads KV".
std::string launch_words(const model::launch_class& which);

/// "12.3 %"; "-" where the whole is 0.
std::string share_words(std::int64_t part, std::int64_t whole);

}  // namespace assay::reports
