// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/tokenizer/added_tokens.h"

#include "runtime/tokenizer/unicode_tables.h"
#include "runtime/tokenizer/utf8.h"

#include <algorithm>
#include <utility>

namespace assay::tokenizer {

namespace {

unsigned char byte_at(std::string_view text, std::size_t at) {
  return static_cast<unsigned char>(text[at]);
}

bool touches_word(std::string_view text, std::size_t begin, std::size_t end) {
  const bool before = begin > 0 && is_word(scalar_before(text, begin).value);
  return before || (end < text.size() && is_word(scalar_at(text, end).value));
}

/// Moves `at` left over white space, not beyond `floor`.
std::size_t strip_left(std::string_view text, std::size_t at, std::size_t floor) {
  while (at > floor) {
    const utf8_scalar scalar = scalar_before(text, at);
    if (class_of(scalar.value) != char_class::space) break;
    at -= scalar.byte_count;
  }
  return at;
}

std::size_t strip_right(std::string_view text, std::size_t at) {
  while (at < text.size()) {
    const utf8_scalar scalar = scalar_at(text, at);
    if (class_of(scalar.value) != char_class::space) break;
    at += scalar.byte_count;
  }
  return at;
}

}  // namespace

added_token_splitter::added_token_splitter(std::vector<added_token> tokens)
    : tokens_(std::move(tokens)) {
  const auto is_blank = [](const added_token& t) { return t.content.empty(); };
  tokens_.erase(std::remove_if(tokens_.begin(), tokens_.end(), is_blank), tokens_.end());
  std::sort(tokens_.begin(), tokens_.end(),
            [](const added_token& a, const added_token& b) { return a.content < b.content; });
  for (const added_token& token : tokens_) begins_one_[byte_at(token.content, 0)] = true;
}

/// Narrows the sorted contents byte by byte: those that agree so far are neighbours, and one that
/// ends here comes first among them.
const added_token* added_token_splitter::longest_at(std::string_view text, std::size_t at) const {
  const added_token* longest = nullptr;
  auto low = tokens_.begin();
  auto high = tokens_.end();
  for (std::size_t depth = 0; at + depth < text.size(); ++depth) {
    const unsigned char wanted = byte_at(text, at + depth);
    low = std::partition_point(low, high, [&](const added_token& t) {
      return t.content.size() <= depth || byte_at(t.content, depth) < wanted;
    });
    high = std::partition_point(
        low, high, [&](const added_token& t) { return byte_at(t.content, depth) == wanted; });
    if (low == high) break;
    if (low->content.size() == depth + 1) longest = &*low;
  }
  return longest;
}

std::vector<text_segment> added_token_splitter::split(std::string_view text) const {
  std::vector<text_segment> out;
  std::size_t covered = 0;
  for (std::size_t at = 0; at < text.size();) {
    const added_token* token = begins_one_[byte_at(text, at)] ? longest_at(text, at) : nullptr;
    if (token == nullptr) {
      ++at;
      continue;
    }
    const std::size_t match_end = at + token->content.size();
    if (!token->is_single_word || !touches_word(text, at, match_end)) {
      const std::size_t begin = token->strips_left ? strip_left(text, at, covered) : at;
      const std::size_t end = token->strips_right ? strip_right(text, match_end) : match_end;
      if (covered < begin) out.push_back({covered, begin, -1});
      out.push_back({begin, end, token->id});
      covered = end;
    }
    at = match_end;
  }
  if (covered < text.size()) out.push_back({covered, text.size(), -1});
  return out;
}

}  // namespace assay::tokenizer
