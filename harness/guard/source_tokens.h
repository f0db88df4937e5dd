// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// A program's text taken apart as far as the guard needs: string literals, variables, no comments.
#pragma once

#include <functional>
#include <string_view>

namespace assay::guard {

/// How a family of languages writes comments and texts.
struct language {
  std::string_view line_comment;    ///< //, #, or none
  bool has_block_comments = false;  ///< /* … */
  bool are_blocks_nested = false;
  bool has_single_quotes = false;  ///< '…' is a text and not one character
  bool has_triple_quotes = false;
  bool has_backticks = false;
  bool has_raw_texts = false;        ///< R"x(…)x", r#"…"#
  bool has_dollar_names = false;     ///< $NAME and ${NAME} read a variable
  bool has_templates = false;        ///< `…${code}…`
  bool has_patterns = false;         ///< /"/ is an expression and opens no text
  bool has_verbatim = false;         ///< @"…""…": no escapes but the doubled quote
  bool has_conditions = false;       ///< #if 0 … #endif is no code
  bool has_splices = false;          ///< a // comment goes on where its line ends in a backslash
  bool has_statement_texts = false;  ///< a text that is a statement of its own is a comment
};

/// By the name's ending, or by the #! line where it has none; null where unknown.
const language* language_of(std::string_view file, std::string_view text);

/// Calls `take` with the content of each string literal, with each name that follows `env.`, and
/// with each variable of a shell; all are parts of `text`, in its order. Code that a
/// preprocessor never reads (#if 0) is none, nor is a text that stands as a statement of its own,
/// nor a text of several lines. A literal that does not end is given up at the end of its line, so
/// that one stray quote cannot hide the rest of a file. Pure; linear in the text.
void read_tokens(std::string_view text, const language& spoken,
                 const std::function<void(std::string_view)>& take);

}  // namespace assay::guard
