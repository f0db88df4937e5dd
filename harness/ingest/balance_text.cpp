// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/ingest/balance_text.h"

#include <utility>

#include <fmt/format.h>

#include "harness/ingest/complaint.h"

namespace assay::ingest {
namespace {

using broken = tl::unexpected<broken_sum>;

broken because(std::string what) {
  return broken(broken_sum{std::move(what)});
}

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == ':' || c == '.';
}

void skip_blanks(std::string_view& text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
}

bool take(std::string_view& text, char c) {
  skip_blanks(text);
  if (text.empty() || text.front() != c) return false;
  text.remove_prefix(1);
  return true;
}

std::string_view take_name(std::string_view& text) {
  skip_blanks(text);
  std::size_t end = 0;
  while (end < text.size() && is_name_character(text[end])) ++end;
  const std::string_view name = text.substr(0, end);
  text.remove_prefix(end);
  return name;
}

tl::expected<void, broken_sum> take_labels(std::string_view& text, model::balance_term& term) {
  while (!take(text, '}')) {
    const std::string_view key = take_name(text);
    if (key.empty() || !take(text, '=') || !take(text, '"'))
      return because("has labels that are not of the form {a=\"b\"}");
    const std::size_t end = text.find('"');
    if (end == std::string_view::npos) return because("has a label's value that does not end");
    term.labels.push_back(fmt::format("{}=\"{}\"", key, text.substr(0, end)));
    text.remove_prefix(end + 1);
    take(text, ',');
  }
  return {};
}

// Up to what is no part of a sum.
tl::expected<std::vector<model::balance_term>, broken_sum> take_sum(std::string_view& text) {
  std::vector<model::balance_term> terms;
  bool is_negative = take(text, '-');
  while (true) {
    model::balance_term term;
    term.is_negative = is_negative;
    term.metric = take_name(text);
    if (term.metric.empty())
      return because(fmt::format("has no metric before '{}'", printable(text, 20)));
    if (take(text, '{'))
      if (auto labels = take_labels(text, term); !labels) return broken(labels.error());
    terms.push_back(std::move(term));
    if (take(text, '+'))
      is_negative = false;
    else if (take(text, '-'))
      is_negative = true;
    else
      return terms;
  }
}

}  // namespace

tl::expected<std::vector<model::balance_term>, broken_sum> parse_sum(std::string_view text) {
  auto terms = take_sum(text);
  skip_blanks(text);
  if (terms && !text.empty()) return because(fmt::format("goes on with '{}'", printable(text, 20)));
  return terms;
}

tl::expected<void, broken_sum> parse_balance(std::string_view text, model::promised_balance& into) {
  into.text = text;
  auto left = take_sum(text);
  if (!left) return broken(left.error());
  into.relation =
      take(text, '<') ? model::balance_relation::at_most : model::balance_relation::equal;
  if (!take(text, '=')) return because("has neither = nor <= behind its first sum");
  auto right = take_sum(text);
  if (!right) return broken(right.error());
  skip_blanks(text);
  if (!text.empty()) return because(fmt::format("goes on with '{}'", printable(text, 20)));
  into.left = std::move(*left);
  into.right = std::move(*right);
  return {};
}

}  // namespace assay::ingest
