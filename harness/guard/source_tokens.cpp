// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/guard/source_tokens.h"

#include <algorithm>
#include <array>
#include <string>

namespace assay::guard {
namespace {

constexpr language c_family{"//", true, false, false, false, false, true, false};
constexpr language rust{"//", true, true, false, false, false, true, false};
constexpr language go{"//", true, false, false, false, true, false, false};
constexpr language script{"//", true, false, true, false, true, false, false};
constexpr language python{"#", false, false, true, true, false, false, false};
constexpr language shell{"#", false, false, true, false, false, false, true};

struct ending {
  std::string_view text;
  const language* spoken;
};
constexpr std::array<ending, 35> endings{
    {{".c", &c_family},  {".cc", &c_family},    {".cpp", &c_family},   {".cxx", &c_family},
     {".h", &c_family},  {".hh", &c_family},    {".hpp", &c_family},   {".hxx", &c_family},
     {".cu", &c_family}, {".cuh", &c_family},   {".def", &c_family},   {".inc", &c_family},
     {".m", &c_family},  {".mm", &c_family},    {".java", &c_family},  {".kt", &c_family},
     {".cs", &c_family}, {".scala", &c_family}, {".swift", &c_family}, {".rs", &rust},
     {".go", &go},       {".js", &script},      {".mjs", &script},     {".ts", &script},
     {".tsx", &script},  {".py", &python},      {".pyi", &python},     {".sh", &shell},
     {".bash", &shell},  {".rb", &shell},       {".toml", &shell},     {".yaml", &shell},
     {".yml", &shell},   {".cmake", &shell},    {"Dockerfile", &shell}}};

bool is_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

class lexer {
 public:
  lexer(std::string_view text, const language& spoken,
        const std::function<void(std::string_view)>& take)
      : text_(text), spoken_(spoken), take_(take) {}

  void run() {
    while (at_ < text_.size()) step();
  }

 private:
  std::string_view rest() const { return text_.substr(at_); }
  char ahead(std::size_t n) const { return at_ + n < text_.size() ? text_[at_ + n] : '\0'; }

  void step() {
    const char c = text_[at_];
    if (!spoken_.line_comment.empty() && c == spoken_.line_comment.front() &&
        rest().starts_with(spoken_.line_comment))
      return skip_line_comment();
    if (spoken_.has_block_comments && c == '/' && ahead(1) == '*') return skip_block();
    if (c == '"' || (c == '\'' && spoken_.has_single_quotes)) return take_text(c);
    if (c == '\'') return skip_character();
    if (c == '`' && spoken_.has_backticks) return take_backticks();
    if (c == '$' && spoken_.has_dollar_names) return take_dollar();
    if (is_name(c)) return take_name();
    ++at_;
  }

  // In a shell, # opens a comment at the start of a word only: ${#list} has none.
  void skip_line_comment() {
    const bool is_inside_word = spoken_.has_dollar_names && at_ > 0 && text_[at_ - 1] != ' ' &&
                                text_[at_ - 1] != '\t' && text_[at_ - 1] != '\n' &&
                                text_[at_ - 1] != ';';
    if (is_inside_word) {
      ++at_;
      return;
    }
    at_ = std::min(text_.find('\n', at_), text_.size());
  }

  void skip_block() {
    at_ += 2;
    std::size_t depth = 1;
    while (at_ < text_.size() && depth > 0) {
      if (text_[at_] == '*' && ahead(1) == '/') {
        --depth;
        at_ += 2;
      } else if (spoken_.are_blocks_nested && text_[at_] == '/' && ahead(1) == '*') {
        ++depth;
        at_ += 2;
      } else {
        ++at_;
      }
    }
  }

  void take_text(char quote) {
    const std::string_view triple = quote == '"' ? "\"\"\"" : "'''";
    if (spoken_.has_triple_quotes && rest().starts_with(triple)) {
      const std::size_t end = text_.find(triple, at_ + 3);
      at_ = end == std::string_view::npos ? text_.size() : end + 3;
      return;  // a paragraph is no name
    }
    const std::size_t start = ++at_;
    while (at_ < text_.size() && text_[at_] != quote && text_[at_] != '\n')
      at_ += text_[at_] == '\\' ? 2 : 1;
    at_ = std::min(at_, text_.size());
    const std::string_view inside = text_.substr(start, at_ - start);
    take_(inside);
    if (spoken_.has_dollar_names && quote == '"') take_dollars_in(inside);
    if (at_ < text_.size() && text_[at_] == quote) ++at_;
  }

  // 'x', '\n', or in Rust the name of a lifetime, which ends in no quote.
  void skip_character() {
    if (ahead(1) == '\\') {
      const std::size_t end = text_.find('\'', at_ + 3);
      const std::size_t line = text_.find('\n', at_);
      at_ = end == std::string_view::npos || end > line ? at_ + 1 : end + 1;
    } else {
      at_ += ahead(2) == '\'' ? 3 : 1;
    }
  }

  void take_backticks() {
    const std::size_t end = text_.find('`', at_ + 1);
    if (end == std::string_view::npos) {
      ++at_;
      return;
    }
    take_(text_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
  }

  void take_dollar() {
    const std::size_t start = at_ + (ahead(1) == '{' ? 2 : 1);
    std::size_t end = start;
    while (end < text_.size() && is_name(text_[end])) ++end;
    if (end > start) take_(text_.substr(start, end - start));
    at_ = std::max(end, at_ + 1);
  }

  void take_dollars_in(std::string_view inside) {
    for (std::size_t at = inside.find('$'); at < inside.size(); at = inside.find('$', at + 1)) {
      const std::size_t start = at + 1 + (at + 1 < inside.size() && inside[at + 1] == '{');
      std::size_t end = start;
      while (end < inside.size() && is_name(inside[end])) ++end;
      if (end > start) take_(inside.substr(start, end - start));
    }
  }

  void take_name() {
    const std::size_t start = at_;
    while (at_ < text_.size() && is_name(text_[at_])) ++at_;
    const std::string_view name = text_.substr(start, at_ - start);
    if (start >= 4 && text_.substr(start - 4, 4) == "env.") take_(name);
    if (spoken_.has_raw_texts && (name.back() == 'R' || name == "r" || name == "br"))
      take_raw(name);
  }

  void take_raw(std::string_view prefix) {
    if (prefix.back() == 'R' && ahead(0) == '"') {
      const std::size_t open = text_.find('(', at_);
      if (open == std::string_view::npos || open - at_ > 17) return;
      const std::string end_mark = ")" + std::string(text_.substr(at_ + 1, open - at_ - 1)) + "\"";
      return take_up_to(open + 1, end_mark);
    }
    std::size_t hashes = 0;
    while (ahead(hashes) == '#') ++hashes;
    if (prefix.back() != 'r' || ahead(hashes) != '"') return;
    take_up_to(at_ + hashes + 1, "\"" + std::string(hashes, '#'));
  }

  void take_up_to(std::size_t start, const std::string& end_mark) {
    const std::size_t end = text_.find(end_mark, start);
    if (end == std::string_view::npos) return;
    take_(text_.substr(start, end - start));
    at_ = end + end_mark.size();
  }

  std::string_view text_;
  const language& spoken_;
  const std::function<void(std::string_view)>& take_;
  std::size_t at_ = 0;
};

}  // namespace

const language* language_of(std::string_view file, std::string_view text) {
  for (const ending& each : endings)
    if (file.ends_with(each.text)) return each.spoken;
  const std::string_view first = text.substr(0, text.find('\n'));
  if (!first.starts_with("#!")) return nullptr;
  return first.find("python") != std::string_view::npos ? &python
         : first.find("node") != std::string_view::npos ? &script
                                                        : &shell;
}

void read_tokens(std::string_view text, const language& spoken,
                 const std::function<void(std::string_view)>& take) {
  lexer(text, spoken, take).run();
}

}  // namespace assay::guard
