// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// A comparison as a comment on a pull request.
#pragma once

#include <cstddef>
#include <string>

#include "reports/model/comparison_report.h"

namespace assay::reports {

/// The first line of each such comment: a bot finds its own by it and writes it anew.
inline constexpr const char* comparison_marker = "<!-- assay-compare -->";

/// What forges take is 65,536 characters; this stays below in bytes, so in characters too.
inline constexpr std::size_t comment_limit_bytes = 60'000;

/// Headline, standing, what was found, then what is missing or errored, the rest folded. However
/// many rows there are, at most comment_limit_bytes: what does not fit is counted. Foreign text is
/// inert. Flags (🔴 worse by 30 % or more, ⚠️ by 15 %, 🟢 better) stand at confirmed rows
/// alone. Units: human. Errors: none. Pure: the same report gives the same bytes.
std::string comparison_as_markdown(const model::comparison_report& report);

}  // namespace assay::reports
