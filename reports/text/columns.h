// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Tables for a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace assay::reports {

/// Columns as people see them: a µ or a ≈ is one, not its two or three bytes.
std::size_t columns(std::string_view text);

/// Filled with spaces up to `width` columns; longer text stays as it is.
std::string pad_right(std::string text, std::size_t width);
std::string pad_left(std::string text, std::size_t width);

}  // namespace assay::reports
