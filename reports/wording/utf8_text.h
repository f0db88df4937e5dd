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

/// Bytes of a character at the start of `text` that would show what follows backwards (U+202A …
/// U+202E, U+2066 … U+2069, U+200E, U+200F), or that ends a line for some readers (U+2028, U+2029);
/// 0 where it begins with no such.
std::size_t length_of_turning_mark(std::string_view text);

}  // namespace assay::reports
