// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// A report in words, as one page.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "reports/wording/word_document.h"

namespace assay::reports {

/// `opening` is HTML that stands before the tables; `charts` HTML by the id of the table that it
/// stands in. Foreign text of the document is inert. Pure. Private to the room.
std::string document_as_html(const word_document& document, std::string_view opening,
                             const std::map<std::string, std::string>& charts);

}  // namespace assay::reports
