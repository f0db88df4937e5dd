// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace assay::reports {

/// Text as Markdown that renders as that text: it can neither end a table cell nor start markup,
/// HTML included. Control characters become "?", line breaks spaces.
std::string markdown_escaped(std::string_view text);

}  // namespace assay::reports
