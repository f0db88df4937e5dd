// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The regular expressions by which tokenizers cut text into pieces, each as a hand-written
// splitter: no regex library here has the reference's Unicode version.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace assay::tokenizer {

/// One known pattern. It matches somewhere at every position, so its matches tile the text.
struct split_pattern {
  std::string_view name;   ///< for people
  std::string_view regex;  ///< exactly as tokenizer.json spells it
  /// Where the piece that begins at `begin` ends. `text` is valid UTF-8, `begin` lies within it on
  /// a character's first byte; the result is greater than `begin`.
  std::size_t (*piece_end)(std::string_view text, std::size_t begin);
};

std::span<const split_pattern> split_patterns();

/// The pattern with that regex, or null. A new pattern is a file with its splitter and a row here.
const split_pattern* find_split_pattern(std::string_view regex);

}  // namespace assay::tokenizer
