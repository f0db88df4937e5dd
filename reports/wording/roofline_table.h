// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Operators under their roofs, in words.
#pragma once

#include <string>

#include "reports/model/investigation.h"
#include "reports/wording/word_table.h"

namespace assay::reports {

/// Of an operator, or of decode or prefill as a whole.
std::string point_words(const model::roofline_point& point);
/// "f32 multiply-adds", "bf16 matrix units".
std::string arithmetic_words(telemetry::arithmetic by);

/// Is there any operator whose operations are known?
bool has_roofline(const model::roofline& roof);

word_table roofline_table(const model::investigation& report);

}  // namespace assay::reports
