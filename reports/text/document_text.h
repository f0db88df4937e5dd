// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// A report in words, for a terminal.
#pragma once

#include <string>

#include "reports/wording/word_document.h"

namespace assay::reports {

/// Foreign text stays on its line. Pure. Private to the room.
std::string document_as_text(const word_document& document, bool is_coloured);

}  // namespace assay::reports
