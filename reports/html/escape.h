// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Foreign text in a page.
#pragma once

#include <string>
#include <string_view>

namespace assay::reports {

/// Text as it stands between tags or in a quoted attribute: it cannot begin a tag, an entity or end
/// its quotes. Malformed UTF-8 and control characters are replaced; a character that would turn the
/// direction of what follows becomes "?". Pure.
std::string html_escaped(std::string_view text);

}  // namespace assay::reports
