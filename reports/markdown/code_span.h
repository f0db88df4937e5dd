// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace assay::reports {

/// A foreign name as a code span that is inert wherever a forge renders it, in a table cell too: no
/// markup, HTML, mention, issue number or address in it comes alive. Three characters would end the
/// span or the cell and become their likes: ` ˋ, | ǀ, \ ⧵. Control characters and those that turn
/// the direction of writing become "?", line breaks spaces, broken UTF-8 U+FFFD. Cut at `most`
/// characters. JSON has the name as it is.
std::string code_span(std::string_view name, std::size_t most = 120);

}  // namespace assay::reports
