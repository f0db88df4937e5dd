// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace assay::reports {

/// Text of a trace from outside as well-formed UTF-8: each byte that belongs to no scalar value
/// (cut-off, overlong and surrogate sequences too) becomes U+FFFD. Forms whose readers refuse a
/// whole file for one such byte go through this.
std::string mended_utf8(std::string_view text);

}  // namespace assay::reports
