// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/trace/identity.h"

#include <charconv>

#include "runtime/telemetry/contract.h"

namespace assay::trace {
namespace {

constexpr std::string_view each_pass = " at each pass";
// Far from any overflow, whatever is added up.
constexpr std::int64_t constant_max = std::int64_t{1} << 40;

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const std::size_t end = text.find(' ');
    if (end != 0) words.push_back(text.substr(0, end));
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
  return words;
}

bool add_term(identity& to, std::string_view word, int sign) {
  if (telemetry::contract_rules::well_formed(word)) {
    to.terms.push_back({std::string(word), sign});
    return true;
  }
  std::int64_t number = 0;
  const char* const end = word.data() + word.size();
  const auto [stopped, error] = std::from_chars(word.data(), end, number);
  if (error != std::errc{} || stopped != end || number < 0 || number > constant_max) return false;
  to.constant += sign * number;
  return true;
}

}  // namespace

std::optional<identity> parse_identity(std::string_view text) {
  identity made;
  if (text.ends_with(each_pass)) {
    made.is_each_pass = true;
    text.remove_suffix(each_pass.size());
  }
  const std::vector<std::string_view> words = words_of(text);
  // A term, then an operator and a term, as often as there are.
  if (words.size() < 3 || words.size() % 2 == 0 || words.size() > 64) return std::nullopt;
  int side = 1;
  int sign = 1;
  bool has_relation = false;
  for (std::size_t at = 0; at < words.size(); ++at) {
    const std::string_view word = words[at];
    if (at % 2 == 0) {
      if (!add_term(made, word, side * sign)) return std::nullopt;
    } else if (word == "+" || word == "-") {
      sign = word == "+" ? 1 : -1;
    } else if ((word == "=" || word == "<=") && !has_relation) {
      has_relation = true;
      made.is_at_most = word == "<=";
      side = -1;
      sign = 1;
    } else {
      return std::nullopt;
    }
  }
  if (!has_relation || made.terms.empty()) return std::nullopt;
  return made;
}

}  // namespace assay::trace
