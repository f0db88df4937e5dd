// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/guard/name_book.h"

#include <algorithm>
#include <array>

#include "harness/guard/source_tokens.h"
#include "harness/guard/unit_words.h"

namespace assay::guard {
namespace {

constexpr std::size_t longest_name = 256;
// What a format appends to a name that a document may then speak of.
constexpr std::array<std::string_view, 4> own_suffixes{"_bucket", "_sum", "_count", "_total"};

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == ':' || c == '.' || c == '*';
}

bool begins(std::string_view name, const std::vector<std::string>& prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(), [&](const std::string& prefix) {
    return name.size() > prefix.size() && name.starts_with(prefix);
  });
}

// What a program writes where a library adds the rest.
std::string_view without_prefix(std::string_view name, const std::vector<std::string>& prefixes) {
  for (const std::string& prefix : prefixes)
    if (name.size() > prefix.size() && name.starts_with(prefix)) return name.substr(prefix.size());
  return name;
}

std::size_t newlines(std::string_view text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

}  // namespace

name_book::name_book(const model::guard_contract& contract)
    : metric_prefixes_(contract.metric_prefixes), variable_prefixes_(contract.variable_prefixes) {
  for (const auto& metric : contract.metrics) {
    for (const std::string_view suffix : own_suffixes)
      wanted_.insert(metric.name + std::string(suffix));
    for (const std::string_view name :
         {std::string_view(metric.name), without_suffix(metric.name)}) {
      wanted_.emplace(name);
      wanted_.emplace(without_prefix(name, metric_prefixes_));
    }
  }
}

bool name_book::is_wanted(std::string_view name) const {
  return begins(name, metric_prefixes_) || begins(name, variable_prefixes_) ||
         wanted_.count(std::string(name)) != 0;
}

void name_book::add(std::string_view name, std::string_view file, std::size_t line) {
  const auto [at, is_new] = names_.try_emplace(std::string(name));
  if (is_new) at->second = {std::string(file), line};
}

void name_book::add_document(std::string_view text, std::string_view file) {
  ++file_count_;
  std::size_t line = 1;
  for (std::size_t at = 0; at < text.size();) {
    if (!is_word(text[at])) {
      line += text[at] == '\n';
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && is_word(text[end])) ++end;
    std::string_view word = text.substr(at, end - at);
    while (!word.empty() && (word.back() == '.' || word.back() == ':')) word.remove_suffix(1);
    if (word.size() <= longest_name && is_wanted(word)) add(word, file, line);
    at = end;
  }
  line_count_ += line;
}

bool name_book::add_source(std::string_view text, std::string_view file) {
  const language* spoken = language_of(file, text);
  if (spoken == nullptr) return false;
  ++file_count_;
  std::size_t line = 1;
  std::size_t counted = 0;
  read_tokens(text, *spoken, [&](std::string_view token) {
    if (token.empty() || token.size() > longest_name || !is_wanted(token)) return;
    const auto at = static_cast<std::size_t>(token.data() - text.data());
    line += newlines(text.substr(counted, at - counted));
    counted = at;
    add(token, file, line);
  });
  line_count_ += line + newlines(text.substr(counted));
  return true;
}

const name_place* name_book::find(std::string_view name) const {
  const auto found = names_.find(std::string(name));
  return found == names_.end() ? nullptr : &found->second;
}

const name_place* name_book::find_metric(std::string_view name) const {
  for (const std::string_view each : {name, without_suffix(name)}) {
    if (const auto* found = find(each)) return found;
    if (const auto* found = find(without_prefix(each, metric_prefixes_))) return found;
  }
  return nullptr;
}

const name_place* name_book::find_whole_metric(std::string_view name) const {
  if (const auto* found = find(name)) return found;
  // Without its suffix a name is still one where the prefix is there; else it is a word.
  const std::string_view bare = without_suffix(name);
  if (begins(bare, metric_prefixes_))
    if (const auto* found = find(bare)) return found;
  for (const std::string_view suffix : own_suffixes)
    if (const auto* found = find(std::string(name) + std::string(suffix))) return found;
  return nullptr;
}

sorted_names names_with(const name_book& book, const std::vector<std::string>& prefixes) {
  const auto begins = [&](std::string_view name) {
    return std::any_of(prefixes.begin(), prefixes.end(),
                       [&](const std::string& prefix) { return name.starts_with(prefix); });
  };
  sorted_names all;
  for (const auto& [name, place] : book.names()) {
    const std::string_view view = name;
    const bool is_a_family =
        view.find('*') != std::string_view::npos || view.ends_with('_') || view.ends_with(':');
    if (!is_a_family && begins(view)) all.emplace(view, &place);
  }
  return all;
}

}  // namespace assay::guard
