// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The table of an investigation that follows the machine's state over the run.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "reports/model/investigation.h"
#include "reports/wording/word_table.h"

namespace assay::reports {

/// First, last, least and most of each condition, and whether it changed by more than it should.
word_table machine_table(const model::investigation& report);

/// Conditions in which two runs lie apart: name, first, second.
std::vector<word_row> machine_rows(const model::investigation& first,
                                   const model::investigation& second);

/// "3.247 GHz", "0.87", "71.2 W", "64 °C".
std::string condition_words(std::int64_t value, std::string_view unit);

}  // namespace assay::reports
