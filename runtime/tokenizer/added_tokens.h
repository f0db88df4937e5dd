// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Added tokens: strings that are cut out of the text before anything else looks at it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace assay::tokenizer {

struct added_token {
  std::int32_t id = 0;
  std::string content;
  bool is_single_word = false;  ///< matches only where no word character touches it
  bool strips_left = false;     ///< takes the white space before it along
  bool strips_right = false;
  /// Looked for in the normalised text, not in the text as given; `content` is normalised too.
  bool is_normalized = false;
  bool is_special = false;
};

/// A stretch of text: an added token, or (id < 0) what lies between.
struct text_segment {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::int32_t id = -1;
};

/// Finds added tokens: the leftmost first, the longest of those that begin there.
class added_token_splitter {
 public:
  /// `tokens` have distinct contents; empty ones never match.
  explicit added_token_splitter(std::vector<added_token> tokens);

  bool is_empty() const { return tokens_.empty(); }
  /// Cuts valid UTF-8 into segments that follow each other; empty gaps are left out.
  std::vector<text_segment> split(std::string_view text) const;

 private:
  const added_token* longest_at(std::string_view text, std::size_t at) const;
  std::vector<added_token> tokens_;  ///< sorted by content
  bool begins_one_[256] = {};        ///< by first byte
};

}  // namespace assay::tokenizer
