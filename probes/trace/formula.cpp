// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/trace/formula.h"

#include "runtime/telemetry/contract.h"

namespace assay::trace {
namespace {

constexpr std::size_t most_terms = 32;

// "a + b" from the front; what follows the sum stays. Empty where there is none.
std::vector<std::string> take_sum(std::string_view& text) {
  std::vector<std::string> names;
  while (true) {
    const std::string_view word = text.substr(0, text.find(' '));
    if (!telemetry::contract_rules::well_formed(word) || names.size() == most_terms) return {};
    names.emplace_back(word);
    text.remove_prefix(word.size());
    if (!text.starts_with(" + ")) return names;
    text.remove_prefix(3);
  }
}

}  // namespace

std::optional<formula> parse_formula(std::string_view words) {
  formula made;
  std::vector<std::string> left = take_sum(words);
  if (left.empty() || !words.starts_with(" = ")) return std::nullopt;
  words.remove_prefix(3);
  if (words == "1") {
    made.part = std::move(left);
    return made.part.size() < 2 ? std::nullopt : std::optional(made);
  }
  if (left.size() != 1) return std::nullopt;
  made.result = std::move(left.front());
  made.part = take_sum(words);
  if (made.part.empty() || !words.starts_with(" / ")) return std::nullopt;
  words.remove_prefix(3);
  made.whole = take_sum(words);
  return made.whole.empty() || !words.empty() ? std::nullopt : std::optional(made);
}

}  // namespace assay::trace
