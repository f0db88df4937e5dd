// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What Unicode says about a scalar value, in the version that Hugging Face's regex engine has.
#pragma once

#include <cstdint>

namespace assay::tokenizer {

/// The classes that splitting patterns tell apart: \p{L}, \p{N}, \s and the rest.
enum class char_class : std::uint8_t { other, letter, number, space };

/// Source: unicode_ranges.inc, generated from tokenizers 0.23.2 (Unicode 16: 141,028 letters).
char_class class_of(char32_t scalar);

/// \w of the engine that judges `single_word`: letters, marks, digits, connectors and joiners.
bool is_word(char32_t scalar);

}  // namespace assay::tokenizer
