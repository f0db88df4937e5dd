// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/guard/source_tokens.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace assay::guard {
namespace {

constexpr language c_family{.line_comment = "//",
                            .has_block_comments = true,
                            .has_raw_texts = true,
                            .has_conditions = true,
                            .has_splices = true};
constexpr language c_sharp{.line_comment = "//",
                           .has_block_comments = true,
                           .has_triple_quotes = true,
                           .has_verbatim = true,
                           .has_conditions = true};
constexpr language java{
    .line_comment = "//", .has_block_comments = true, .has_triple_quotes = true};
constexpr language nesting{.line_comment = "//",
                           .has_block_comments = true,
                           .are_blocks_nested = true,
                           .has_triple_quotes = true};
constexpr language rust{.line_comment = "//",
                        .has_block_comments = true,
                        .are_blocks_nested = true,
                        .has_raw_texts = true};
constexpr language go{.line_comment = "//", .has_block_comments = true, .has_backticks = true};
constexpr language script{.line_comment = "//",
                          .has_block_comments = true,
                          .has_single_quotes = true,
                          .has_templates = true,
                          .has_patterns = true};
constexpr language python{.line_comment = "#",
                          .has_single_quotes = true,
                          .has_triple_quotes = true,
                          .has_statement_texts = true};
constexpr language shell{.line_comment = "#", .has_single_quotes = true, .has_dollar_names = true};

struct ending {
  std::string_view text;
  const language* spoken;
};
constexpr std::array<ending, 38> endings{
    {{".c", &c_family},      {".cc", &c_family},   {".cpp", &c_family},  {".cxx", &c_family},
     {".h", &c_family},      {".hh", &c_family},   {".hpp", &c_family},  {".hxx", &c_family},
     {".cu", &c_family},     {".cuh", &c_family},  {".def", &c_family},  {".inc", &c_family},
     {".m", &c_family},      {".mm", &c_family},   {".java", &java},     {".kt", &nesting},
     {".cs", &c_sharp},      {".scala", &nesting}, {".swift", &nesting}, {".rs", &rust},
     {".go", &go},           {".js", &script},     {".mjs", &script},    {".cjs", &script},
     {".jsx", &script},      {".ts", &script},     {".tsx", &script},    {".py", &python},
     {".pyi", &python},      {".sh", &shell},      {".bash", &shell},    {".rb", &shell},
     {".toml", &shell},      {".yaml", &shell},    {".yml", &shell},     {".cmake", &shell},
     {"Dockerfile", &shell}, {".kts", &nesting}}};

// After these a slash of JavaScript opens a pattern; after any other word it divides.
constexpr std::array<std::string_view, 12> words_before_patterns{
    "return", "typeof", "case", "in",   "of", "delete",
    "void",   "throw",  "new",  "else", "do", "yield"};

// A template within a template within …: what is deeper is read as one text.
constexpr std::size_t most_templates = 32;

constexpr bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

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
    if (spoken_.has_conditions && c == '#' && is_first_of_line(at_)) return take_directive();
    if (spoken_.has_verbatim && is_verbatim()) return take_verbatim();
    if (spoken_.has_patterns && c == '/' && can_open_pattern()) return skip_pattern();
    if (c == '"' || (c == '\'' && spoken_.has_single_quotes)) return take_text(c);
    if (c == '\'') return skip_character();
    if (c == '`' && spoken_.has_templates) return take_template();
    if (c == '`' && spoken_.has_backticks) return take_backticks();
    if (c == '$' && spoken_.has_dollar_names) return take_dollar();
    if (is_name(c)) return take_name();
    count_bracket(c);
    ++at_;
  }

  void count_bracket(char c) {
    if (c == '(' || c == '[' || c == '{') ++bracket_depth_;
    if ((c == ')' || c == ']' || c == '}') && bracket_depth_ > 0) --bracket_depth_;
  }

  bool is_first_of_line(std::size_t at) const {
    while (at > 0 && is_blank(text_[at - 1])) --at;
    return at == 0 || text_[at - 1] == '\n';
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
    do {
      at_ = std::min(text_.find('\n', at_ + 1), text_.size());
    } while (spoken_.has_splices && at_ < text_.size() && is_spliced(at_));
  }

  bool is_spliced(std::size_t newline) const {
    const std::size_t before = newline > 0 && text_[newline - 1] == '\r' ? newline - 1 : newline;
    return before > 0 && text_[before - 1] == '\\';
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
    const std::size_t open = at_;
    const std::string_view triple = quote == '"' ? "\"\"\"" : "'''";
    const bool is_triple = spoken_.has_triple_quotes && rest().starts_with(triple);
    std::string_view inside;
    if (is_triple) {
      const std::size_t end = std::min(text_.find(triple, at_ + 3), text_.size());
      inside = text_.substr(at_ + 3, end - std::min(end, at_ + 3));
      at_ = std::min(end + 3, text_.size());
      while (spoken_.has_verbatim && at_ < text_.size() && text_[at_] == quote) ++at_;
      if (inside.find('\n') != std::string_view::npos) return;  // a paragraph is no name
    } else {
      inside = inside_of_line(quote);
    }
    if (spoken_.has_statement_texts && is_statement(open)) return;
    take_(inside);
    if (spoken_.has_dollar_names && quote == '"') take_dollars_in(inside);
  }

  std::string_view inside_of_line(char quote) {
    const std::size_t start = ++at_;
    while (at_ < text_.size() && text_[at_] != quote && text_[at_] != '\n')
      at_ += text_[at_] == '\\' ? 2 : 1;
    at_ = std::min(at_, text_.size());
    const std::string_view inside = text_.substr(start, at_ - start);
    if (at_ < text_.size() && text_[at_] == quote) ++at_;
    return inside;
  }

  // Whether the text from `open` to here is all of its line, outside of all brackets: in Python it
  // then says something to the reader and nothing to the program.
  bool is_statement(std::size_t open) const {
    if (bracket_depth_ > 0) return false;
    for (int n = 0; n < 2 && open > 0; ++n)
      if (std::string_view("rRuUbB").find(text_[open - 1]) != std::string_view::npos) --open;
    while (open > 0 && is_blank(text_[open - 1])) --open;
    if (open > 0 && (text_[open - 1] != '\n' || is_spliced(open - 1))) return false;
    std::size_t end = at_;
    while (end < text_.size() && is_blank(text_[end])) ++end;
    return end == text_.size() || text_[end] == '\n' || text_[end] == '#' || text_[end] == ';';
  }

  bool is_verbatim() const {
    const std::string_view ahead_of = rest();
    return ahead_of.starts_with("@\"") || ahead_of.starts_with("$@\"") ||
           ahead_of.starts_with("@$\"");
  }

  void take_verbatim() {
    const std::size_t start = text_.find('"', at_) + 1;
    std::size_t end = start;
    while (end < text_.size() && (text_[end] != '"' || text_.substr(end, 2) == "\"\""))
      end += text_[end] == '"' ? 2 : 1;
    end = std::min(end, text_.size());
    take_(text_.substr(start, end - start));
    at_ = std::min(end + 1, text_.size());
  }

  // A slash that does not divide. What stands before a } cannot be known without a parser: there
  // it divides.
  bool can_open_pattern() const {
    std::size_t before = at_;
    while (before > 0 && (is_blank(text_[before - 1]) || text_[before - 1] == '\n')) --before;
    if (before == 0) return true;
    const char c = text_[before - 1];
    if (c == '>') return before > 1 && text_[before - 2] == '=';
    if (!is_name(c)) return std::string_view("(,=:[!&|?{;+-*%~^").find(c) != std::string_view::npos;
    std::size_t start = before;
    while (start > 0 && before - start < 8 && is_name(text_[start - 1])) --start;
    const std::string_view word = text_.substr(start, before - start);
    return std::find(words_before_patterns.begin(), words_before_patterns.end(), word) !=
           words_before_patterns.end();
  }

  void skip_pattern() {
    bool is_in_class = false;
    for (std::size_t at = at_ + 1; at < text_.size() && text_[at] != '\n'; ++at) {
      const char c = text_[at];
      if (c == '\\') ++at;
      if (c == '[') is_in_class = true;
      if (c == ']') is_in_class = false;
      if (c != '/' || is_in_class) continue;
      at_ = at + 1;
      return;
    }
    ++at_;
  }

  // `text` is one; `text ${code} text` is none, but its code has some.
  void take_template() {
    const std::size_t start = at_ + 1;
    if (template_depth_ >= most_templates || text_.find('`', start) == std::string_view::npos) {
      ++at_;
      return;
    }
    ++template_depth_;
    bool has_code = false;
    for (at_ = start; at_ < text_.size() && text_[at_] != '`';) {
      if (text_[at_] == '$' && ahead(1) == '{') {
        has_code = true;
        take_code();
      } else {
        at_ = std::min(at_ + (text_[at_] == '\\' ? 2 : 1), text_.size());
      }
    }
    if (!has_code) take_(text_.substr(start, at_ - start));
    at_ = std::min(at_ + 1, text_.size());
    --template_depth_;
  }

  void take_code() {
    at_ += 2;
    for (std::size_t depth = 1; at_ < text_.size() && depth > 0;) {
      const char c = text_[at_];
      if (c != '{' && c != '}') {
        step();
        continue;
      }
      depth = c == '{' ? depth + 1 : depth - 1;
      ++at_;
    }
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

  struct directive {
    std::string_view word{};       // if, else, …; empty where the text ends first
    std::string_view condition{};  // without blanks and what stands after a comment
    std::size_t end = 0;           // of its line
  };

  // The directive whose # is the first of its line, at or after `from`.
  directive directive_from(std::size_t from) const {
    for (std::size_t at = text_.find('#', from); at < text_.size(); at = text_.find('#', at + 1)) {
      if (!is_first_of_line(at)) continue;
      directive found;
      found.end = std::min(text_.find('\n', at), text_.size());
      std::string_view line = text_.substr(at + 1, found.end - at - 1);
      line = line.substr(0, std::min(line.find("//"), line.find("/*")));
      while (!line.empty() && is_blank(line.front())) line.remove_prefix(1);
      while (!line.empty() && is_blank(line.back())) line.remove_suffix(1);
      std::size_t length = 0;
      while (length < line.size() && is_name(line[length])) ++length;
      found.word = line.substr(0, length);
      line.remove_prefix(length);
      while (!line.empty() && is_blank(line.front())) line.remove_prefix(1);
      found.condition = line;
      return found;
    }
    return {};
  }

  // What a compiler never reads: after #if 0 up to its #else, after the #else of #if 1.
  void take_directive() {
    const directive here = directive_from(at_);
    const bool is_else = here.word == "else" || here.word.starts_with("elif");
    if (here.word == "if" && (here.condition == "0" || here.condition == "false"))
      return skip_dead(here.end, true);
    if (here.word.starts_with("if"))
      is_always_.push_back(here.word == "if" &&
                           (here.condition == "1" || here.condition == "true"));
    if (is_else && !is_always_.empty() && is_always_.back()) {
      is_always_.pop_back();
      return skip_dead(here.end, false);
    }
    if (here.word == "endif" && !is_always_.empty()) is_always_.pop_back();
    // The rest of the line is code: #define NAME "x".
    at_ = is_else || here.word == "endif" ? here.end : at_ + 1;
  }

  // Ends after the #endif, or the #else where that is read. Where there is none nothing is dead: a
  // stray #if cannot hide the rest of a file.
  void skip_dead(std::size_t from, bool is_else_read) {
    const std::size_t back = from;
    std::size_t depth = 0;
    while (!is_endless_) {
      const directive next = directive_from(from);
      if (next.word.empty() && next.end == 0) break;
      from = next.end;
      if (next.word.starts_with("if")) ++depth;
      const bool is_else = next.word == "else" || next.word.starts_with("elif");
      if (depth == 0 && is_else && is_else_read) {
        is_always_.push_back(false);
        at_ = next.end;
        return;
      }
      if (next.word != "endif") continue;
      if (depth == 0) {
        at_ = next.end;
        return;
      }
      --depth;
    }
    is_endless_ = true;
    at_ = back;
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
  std::size_t bracket_depth_ = 0;
  std::size_t template_depth_ = 0;
  std::vector<bool> is_always_;  // of each open #if: whether its condition is 1
  bool is_endless_ = false;      // a dead part has no end
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
