// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// A report in words, as Markdown.
#pragma once

#include <string>

#include "reports/wording/word_document.h"

namespace assay::reports {

/// Foreign text is inert. Pure. Private to the room.
std::string document_as_markdown(const word_document& document);

}  // namespace assay::reports
