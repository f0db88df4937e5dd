// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/ingest/json_lines.h"

#include <utility>
#include <vector>

#include <fmt/format.h>

namespace assay::ingest {
namespace {

struct level {
  std::string path;
  bool is_list;
  std::size_t next = 0;
  bool is_key_due = true;
};

// The text of a string that opens at `at`; leaves `at` behind its closing quote.
std::string_view string_at(std::string_view text, std::size_t& at) {
  const std::size_t start = ++at;
  while (at < text.size() && text[at] != '"') at += text[at] == '\\' ? 2 : 1;
  const std::size_t end = at < text.size() ? at : text.size();
  ++at;
  return text.substr(start, end - start);
}

}  // namespace

json_lines::json_lines(std::string_view text) {
  std::vector<level> open;
  std::size_t line = 1;
  std::string path = "$";
  const auto value_begins = [&] {
    if (!open.empty() && open.back().is_list)
      path = fmt::format("{}[{}]", open.back().path, open.back().next++);
    lines_.try_emplace(path, line);
  };
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '"') {
      const bool is_key = !open.empty() && !open.back().is_list && open.back().is_key_due;
      const std::string_view word = string_at(text, at);
      if (!is_key) {
        value_begins();
        continue;
      }
      path = fmt::format("{}.{}", open.back().path, word);
      open.back().is_key_due = false;
      if (!lines_.try_emplace(path, line).second && !twice_) {
        twice_ = path;
        lines_[path] = line;
      }
      continue;
    }
    ++at;
    if (c == '\n') ++line;
    if (c == '{' || c == '[') {
      value_begins();
      open.push_back({path, c == '['});
    } else if ((c == '}' || c == ']') && !open.empty()) {
      open.pop_back();
    } else if (c == ',' && !open.empty()) {
      open.back().is_key_due = true;
    } else if (c != ' ' && c != '\t' && c != '\r' && c != '\n' && c != ':' && c != ',') {
      value_begins();
      while (at < text.size() &&
             std::string_view(" \t\r\n,]}").find(text[at]) == std::string_view::npos)
        ++at;
    }
  }
}

std::size_t json_lines::line_of(std::string path) const {
  while (true) {
    if (const auto found = lines_.find(path); found != lines_.end()) return found->second;
    const std::size_t end = path.find_last_of(".[");
    if (end == std::string::npos || end == 0) return 1;
    path.resize(end);
  }
}

}  // namespace assay::ingest
