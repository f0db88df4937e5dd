// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Entries of a history for other programs.
#pragma once

#include <string>

#include "harness/history/entry.h"

namespace assay::history {

/// One JSON object on one line, with a newline. Fits docs/schema/history.schema.json. Pure; text
/// that is not UTF-8 gets U+FFFD in place of the broken bytes.
std::string as_json_line(const kept_entry& what);

}  // namespace assay::history
