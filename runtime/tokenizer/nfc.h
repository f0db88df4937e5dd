// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Unicode's Normalization Form C, as Hugging Face's NFC normaliser computes it.
#pragma once

#include <string>
#include <string_view>

namespace assay::tokenizer {

/// True where one look at the bytes shows that the text is in NFC: everything below U+0300 is.
bool is_plainly_nfc(std::string_view text);

/// The text in NFC. `text` is valid UTF-8.
/// Source: UAX #15 over the tables of nfc_tables.inc. They are older than the letters' (Unicode
/// 12.1): marks that later versions added neither compose nor reorder, because in the reference
/// they do not.
/// Overhead: n log n in the longest run of combining marks.
std::string to_nfc(std::string_view text);

}  // namespace assay::tokenizer
