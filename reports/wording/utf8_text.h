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

/// Bytes of a character at the start of `text` that is not seen itself and changes what is: one
/// that turns the direction of writing (U+200E, U+200F, U+061C, U+202A … U+202E, U+2066 … U+2069),
/// ends a line for some readers (U+2028, U+2029), is a control of a terminal (U+0080 … U+009F), or
/// has no width (U+200B …, U+2060 …, U+FEFF, U+00AD, tags), so that two names could look like one.
/// 0 where it begins with no such. Well-formed UTF-8.
std::size_t length_of_hidden_mark(std::string_view text);

}  // namespace assay::reports
