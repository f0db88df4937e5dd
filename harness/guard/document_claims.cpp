// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/guard/document_claims.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <utility>
#include <vector>

#include "harness/guard/unit_words.h"

namespace assay::guard {
namespace {

constexpr std::array<std::string_view, 5> kinds{"counter", "gauge", "histogram", "gaugehistogram",
                                                "summary"};
// A contract's words for what is counted, which a page may leave out or say by another.
constexpr std::array<std::string_view, 6> counted{"count",  "none",  "tokens",
                                                  "blocks", "pages", "requests"};
// Longer than this no cell is a name, and no remark a kind.
constexpr std::size_t longest_remark = 80;

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '`' || c == '*';
}

bool is_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == ':' || c == '.';
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

std::optional<std::string> kind_of(std::string_view word) {
  std::string small = lower(trimmed(word));
  const bool is_kind = std::find(kinds.begin(), kinds.end(), small) != kinds.end();
  return is_kind ? std::optional<std::string>(std::move(small)) : std::nullopt;
}

// Under a heading of units, or in a UNIT line, also "s", "B" and "%".
std::optional<std::string> unit_of(std::string_view word) {
  const std::string_view bare = trimmed(word);
  constexpr std::array<std::pair<std::string_view, std::string_view>, 8> signs{
      {{"s", "seconds"},
       {"B", "bytes"},
       {"%", "percent"},
       {"W", "watts"},
       {"J", "joules"},
       {"sec", "seconds"},
       {"byte", "bytes"},
       {"second", "seconds"}}};
  for (const auto& [sign, unit] : signs)
    if (bare == sign) return std::string(unit);
  return unit_of_word(bare);
}

// In a sentence only a word that is nothing but a unit.
std::optional<std::string> long_unit_of(std::string_view word) {
  auto unit = word.size() > 4 ? unit_of_word(word) : std::nullopt;
  return unit && std::find(counted.begin(), counted.end(), *unit) == counted.end() ? unit
                                                                                   : std::nullopt;
}

using cell_list = std::vector<std::string_view>;

cell_list cells_of(std::string_view line) {
  cell_list cells;
  line = trimmed(line);
  if (line.starts_with('|')) line.remove_prefix(1);
  while (!line.empty()) {
    std::size_t end = line.find('|');
    while (end != std::string_view::npos && end > 0 && line[end - 1] == '\\')
      end = line.find('|', end + 1);
    end = std::min(end, line.size());
    cells.push_back(trimmed(line.substr(0, end)));
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return cells;
}

bool is_rule(const cell_list& cells) {
  return !cells.empty() && std::all_of(cells.begin(), cells.end(), [](std::string_view cell) {
    return !cell.empty() && cell.find_first_not_of("-: ") == std::string_view::npos;
  });
}

class claim_reader {
 public:
  claim_reader(const std::function<bool(std::string_view)>& is_metric,
               const std::function<void(document_claim)>& take)
      : is_metric_(is_metric), take_(take) {}

  void read(std::string_view line) {
    ++line_;
    const std::string_view text = trimmed(line);
    if (text.starts_with('|')) return read_row(cells_of(text));
    heading_.clear();
    above_.clear();
    if (text.starts_with("# TYPE ") || text.starts_with("# UNIT "))
      return read_declaration(text.substr(2));
    read_sentence(text);
  }

 private:
  void say(std::string_view name, claim_facet facet, std::string said) {
    document_claim claim;
    claim.name = name;
    claim.facet = facet;
    claim.said = std::move(said);
    claim.line = line_;
    take_(std::move(claim));
  }

  bool is_metric(std::string_view name) const {
    return !name.empty() && name.size() <= longest_remark &&
           std::all_of(name.begin(), name.end(), is_name) && is_metric_(name);
  }

  void read_row(cell_list cells) {
    if (is_rule(cells)) {
      heading_ = std::move(above_);
      above_.clear();
      return;
    }
    const auto named =
        std::find_if(cells.begin(), cells.end(), [&](auto cell) { return is_metric(cell); });
    if (named != cells.end())
      for (std::size_t at = 0; at < cells.size(); ++at) read_cell(*named, cells[at], at);
    above_ = std::move(cells);
  }

  void read_cell(std::string_view name, std::string_view cell, std::size_t at) {
    const std::string head = at < heading_.size() ? lower(heading_[at]) : std::string();
    if (auto kind = kind_of(cell)) return say(name, claim_facet::kind, std::move(*kind));
    const bool is_of_units = head == "unit" || head == "units";
    if (auto unit = is_of_units ? unit_of(cell) : long_unit_of(cell))
      say(name, claim_facet::unit, std::move(*unit));
  }

  void read_declaration(std::string_view rest) {
    const bool is_type = rest.starts_with("TYPE");
    rest = trimmed(rest.substr(4));
    const std::size_t end = rest.find(' ');
    if (end == std::string_view::npos || !is_metric(rest.substr(0, end))) return;
    auto said = is_type ? kind_of(rest.substr(end)) : unit_of(rest.substr(end));
    if (said)
      say(rest.substr(0, end), is_type ? claim_facet::kind : claim_facet::unit, std::move(*said));
  }

  void read_sentence(std::string_view line) {
    for (std::size_t at = 0; at < line.size();) {
      if (!is_name(line[at])) {
        ++at;
        continue;
      }
      const std::size_t start = at;
      while (at < line.size() && is_name(line[at])) ++at;
      const std::string_view name = line.substr(start, at - start);
      if (is_metric(name)) read_remark(name, line.substr(at, longest_remark));
    }
  }

  void read_remark(std::string_view name, std::string_view rest) {
    rest = trimmed(rest);
    if (rest.starts_with('(')) {
      const std::size_t end = rest.find(')');
      if (end != std::string_view::npos) return read_words(name, rest.substr(1, end - 1));
    }
    for (const std::string_view opening : {"is a ", "is an ", "is in ", "in ", ", in ", ", a "})
      if (rest.starts_with(opening)) {
        rest.remove_prefix(opening.size());
        std::size_t end = 0;
        while (end < rest.size() && is_name(rest[end])) ++end;
        const std::string_view word = rest.substr(0, end);
        return read_words(name, word.ends_with('.') ? word.substr(0, word.size() - 1) : word);
      }
  }

  void read_words(std::string_view name, std::string_view words) {
    while (!words.empty()) {
      const std::size_t end = std::min(words.find_first_of(",;/"), words.size());
      std::string_view word = trimmed(words.substr(0, end));
      if (word.starts_with("in ")) word = trimmed(word.substr(3));
      if (auto kind = kind_of(word)) say(name, claim_facet::kind, std::move(*kind));
      if (auto unit = long_unit_of(word)) say(name, claim_facet::unit, std::move(*unit));
      words.remove_prefix(std::min(end + 1, words.size()));
    }
  }

  const std::function<bool(std::string_view)>& is_metric_;
  const std::function<void(document_claim)>& take_;
  cell_list heading_{};  // of the table that the line is of
  cell_list above_{};    // the row before, which is a heading where a rule follows
  std::size_t line_ = 0;
};

}  // namespace

void read_claims(std::string_view text, const std::function<bool(std::string_view)>& is_metric,
                 const std::function<void(document_claim)>& take) {
  claim_reader reader(is_metric, take);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    reader.read(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

bool contradict(claim_facet facet, std::string_view one, std::string_view other) {
  if (one == other || facet == claim_facet::kind) return one != other;
  const auto is_count = [](std::string_view unit) {
    return std::find(counted.begin(), counted.end(), unit) != counted.end();
  };
  return !is_count(one) || !is_count(other);
}

}  // namespace assay::guard
