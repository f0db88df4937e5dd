// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The 256 visible characters in which byte-level BPE spells bytes, so that a vocabulary of text
// can hold any byte string.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace assay::tokenizer {

/// The character that stands for a byte: itself where it is visible Latin-1, else the next free
/// one from U+0100 on.
char32_t character_of(std::uint8_t byte);

/// The byte that a character stands for, if it is in the alphabet.
std::optional<std::uint8_t> byte_of(char32_t character);

/// The bytes that a vocabulary entry spells, or nothing where one of its characters is not in the
/// alphabet. `text` is valid UTF-8.
std::optional<std::string> spelled_bytes(std::string_view text);

}  // namespace assay::tokenizer
