// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What every form of a history's trends says.
#pragma once

#include <string>

#include "reports/model/trend_report.h"
#include "reports/wording/word_document.h"

namespace assay::reports {

/// How many changes in how many series; a table of the changes with their commit ranges, one of
/// every series, and what this cannot tell.
word_document trend_document(const model::trend_report& report);

/// "runtime.engine.itl_ns", or "BM_add (cpu_time)".
std::string series_name(const model::trend_series& series);

/// "3f2c91a0b1c2..77aa", as git log takes it; words where a side names no commit.
std::string range_words(const model::trend_series& series, const model::trend_change& change);

/// A value of a history, which keeps whole numbers and others alike: whole where it is whole.
std::string trend_value_words(double value, const std::string& unit);

/// "2026-12-02 12:00:00 UTC".
std::string calendar_words(std::int64_t at_ns);

}  // namespace assay::reports
