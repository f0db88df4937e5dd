// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Metrics as JSON: an object a line, or one object.
#pragma once

#include <string_view>
#include <vector>

#include "reports/model/exposition.h"

namespace assay::ingest {

/// Each line is a snapshot whose numbers are samples: {"a": 1, "b": {"c": 2}} has a and b.c. An
/// object with the keys name and value is one sample ("labels" may hold its labels); lines of that
/// kind are one snapshot until a series comes again. Text, true, false and null are no samples. A
/// line that is no object is skipped and stands among the problems.
/// Errors: none. Pure.
std::vector<model::exposition> parse_exposition_json(std::string_view text, std::string_view file);

}  // namespace assay::ingest
