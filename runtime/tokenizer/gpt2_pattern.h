// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The splitter of GPT-2, which is also what ByteLevel does with use_regex.
#pragma once

#include <cstddef>
#include <string_view>

namespace assay::tokenizer {

inline constexpr std::string_view gpt2_regex =
    "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+";

/// As split_pattern::piece_end.
std::size_t gpt2_piece_end(std::string_view text, std::size_t begin);

}  // namespace assay::tokenizer
