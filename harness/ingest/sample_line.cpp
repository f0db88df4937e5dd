// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/ingest/sample_line.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "harness/ingest/complaint.h"

namespace assay::ingest {
namespace {

using broken = tl::unexpected<broken_line>;

broken because(std::string what) {
  return broken(broken_line{std::move(what)});
}

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_label_name(std::string_view name) {
  return !name.empty() && is_letter(name.front()) &&
         std::all_of(name.begin(), name.end(), [](char c) { return is_letter(c) || is_digit(c); });
}

// What is left of a line; each step takes from its front.
class rest_of_line {
 public:
  explicit rest_of_line(std::string_view line) : rest_(line) {}

  void skip_blanks() {
    while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\t'))
      rest_.remove_prefix(1);
  }
  bool take(char c) {
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  std::string_view take_until(std::string_view stops) {
    const std::size_t end = std::min(rest_.find_first_of(stops), rest_.size());
    const std::string_view word = rest_.substr(0, end);
    rest_.remove_prefix(end);
    return word;
  }
  /// A quoted text with its escapes, without the quotes; none where it does not end.
  std::optional<std::string_view> take_quoted() {
    if (!take('"')) return std::nullopt;
    for (std::size_t at = 0; at < rest_.size(); ++at) {
      if (rest_[at] == '\\') {
        ++at;
      } else if (rest_[at] == '"') {
        const std::string_view inside = rest_.substr(0, at);
        rest_.remove_prefix(at + 1);
        return inside;
      }
    }
    return std::nullopt;
  }
  bool is_empty() const { return rest_.empty(); }
  char front() const { return rest_.front(); }

 private:
  std::string_view rest_;
};

using label_list = std::vector<std::pair<std::string_view, std::string_view>>;

// One label, or the metric's name where that is what stands in quotes.
tl::expected<void, broken_line> take_label(rest_of_line& rest, label_list& labels,
                                           std::string& name) {
  const bool is_quoted = rest.front() == '"';
  const std::optional<std::string_view> key =
      is_quoted ? rest.take_quoted() : rest.take_until("=,} \t");
  if (!key) return because("has a quoted name that does not end");
  rest.skip_blanks();
  if (!rest.take('=')) {
    if (!is_quoted || !name.empty() || key->empty())
      return because(fmt::format("has label '{}' without '='", printable(*key, 40)));
    name = *key;
    return {};
  }
  if (!is_quoted && !is_label_name(*key))
    return because(fmt::format("has a label that is no name, '{}'", printable(*key, 40)));
  rest.skip_blanks();
  const auto value = rest.take_quoted();
  if (!value)
    return because(fmt::format("has label '{}' whose value does not end", printable(*key, 40)));
  labels.emplace_back(*key, *value);
  return {};
}

tl::expected<label_list, broken_line> take_labels(rest_of_line& rest, std::string& name) {
  label_list labels;
  while (true) {
    rest.skip_blanks();
    if (rest.take('}')) break;
    if (rest.is_empty()) return because("has labels that do not end");
    if (auto taken = take_label(rest, labels, name); !taken) return broken(taken.error());
    rest.skip_blanks();
    if (rest.take(',')) continue;
    if (rest.take('}')) break;
    return because("has labels without a ',' between them, or that do not end");
  }
  std::sort(labels.begin(), labels.end());
  for (std::size_t at = 1; at < labels.size(); ++at)
    if (labels[at].first == labels[at - 1].first)
      return because(fmt::format("has label '{}' twice", printable(labels[at].first, 40)));
  return labels;
}

std::string joined(const label_list& labels) {
  std::string text;
  for (const auto& [key, value] : labels) {
    if (!text.empty()) text += ',';
    text += key;
    text += "=\"";
    text += value;
    text += '"';
  }
  return text;
}

tl::expected<void, broken_line> take_numbers(rest_of_line& rest, sample_line& out) {
  rest.skip_blanks();
  const std::string_view number = rest.take_until(" \t");
  const auto value = exposition_number(number);
  if (!value)
    return because(number.empty() ? "has no number"
                                  : fmt::format("has no number but '{}'", printable(number, 40)));
  out.value = *value;
  rest.skip_blanks();
  if (!rest.is_empty() && rest.front() != '#') {
    const std::string_view time = rest.take_until(" \t");
    out.time = exposition_number(time);
    if (!out.time || !std::isfinite(*out.time))
      return because(fmt::format("has a time that is no number, '{}'", printable(time, 40)));
    rest.skip_blanks();
  }
  if (!rest.is_empty() && rest.front() != '#') return because("goes on behind its number");
  return {};
}

}  // namespace

bool is_metric_name(std::string_view name) {
  return !name.empty() && !is_digit(name.front()) &&
         std::all_of(name.begin(), name.end(),
                     [](char c) { return is_letter(c) || is_digit(c) || c == ':'; });
}

std::optional<double> exposition_number(std::string_view text) {
  struct spelled {
    std::string_view text;
    double value;
  };
  constexpr double infinite = std::numeric_limits<double>::infinity();
  constexpr std::array<spelled, 8> spellings{{{"NaN", std::numeric_limits<double>::quiet_NaN()},
                                              {"nan", std::numeric_limits<double>::quiet_NaN()},
                                              {"+Inf", infinite},
                                              {"Inf", infinite},
                                              {"-Inf", -infinite},
                                              {"+inf", infinite},
                                              {"inf", infinite},
                                              {"-inf", -infinite}}};
  for (const spelled& each : spellings)
    if (each.text == text) return each.value;
  if (text.starts_with('+')) text.remove_prefix(1);
  if (text.empty() || !(is_digit(text.front()) || text.front() == '-' || text.front() == '.'))
    return std::nullopt;
  double value = 0.0;
  const char* end = text.data() + text.size();
  const auto [stopped, code] = std::from_chars(text.data(), end, value);
  if (code != std::errc{} || stopped != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

tl::expected<sample_line, broken_line> parse_sample_line(std::string_view line) {
  rest_of_line rest(line);
  sample_line out;
  rest.skip_blanks();
  out.name = rest.take_until("{ \t");
  rest.skip_blanks();
  if (rest.take('{')) {
    auto labels = take_labels(rest, out.name);
    if (!labels) return broken(labels.error());
    out.labels = joined(*labels);
    out.label_count = labels->size();
  } else if (!is_metric_name(out.name)) {
    return because(fmt::format("begins with '{}', which is no name", printable(out.name, 40)));
  }
  if (out.name.empty()) return because("has no name");
  if (auto taken = take_numbers(rest, out); !taken) return broken(taken.error());
  return out;
}

}  // namespace assay::ingest
