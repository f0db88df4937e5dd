// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The splitter of GPT-4's word pattern, in the spelling of Qwen and of Llama 3: they differ in how
// many digits make a piece.
#pragma once

#include <cstddef>
#include <string_view>

namespace assay::tokenizer {

std::size_t word_piece_end(std::string_view text, std::size_t begin, int digits_at_most);

template <int DigitsAtMost>
std::size_t word_piece_end(std::string_view text, std::size_t begin) {
  return word_piece_end(text, begin, DigitsAtMost);
}

}  // namespace assay::tokenizer
