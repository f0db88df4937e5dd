// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/ingest/exposition_log.h"

#include <algorithm>
#include <optional>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "harness/ingest/complaint.h"
#include "harness/ingest/sample_line.h"

namespace assay::ingest {
namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

// How much of `line` at `at` the text takes; none where it does not stand there.
std::optional<std::size_t> length_of(std::string_view text, std::string_view line, std::size_t at) {
  const std::size_t start = at;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (is_blank(text[i])) {
      if (at >= line.size() || !is_blank(line[at])) return std::nullopt;
      while (at < line.size() && is_blank(line[at])) ++at;
      while (i + 1 < text.size() && is_blank(text[i + 1])) ++i;
    } else {
      if (at >= line.size() || line[at] != text[i]) return std::nullopt;
      ++at;
    }
  }
  return at - start;
}

struct found_text {
  std::size_t at;
  std::size_t length;
};

std::optional<found_text> find(std::string_view text, std::string_view line, std::size_t from) {
  for (std::size_t at = from; at <= line.size(); ++at)
    if (const auto length = length_of(text, line, at)) return found_text{at, *length};
  return std::nullopt;
}

// The longest number that `line` has at `from`, with thousands as they are printed.
struct found_number {
  double value;
  std::size_t end;
};
std::optional<found_number> number_at(std::string_view line, std::size_t from) {
  std::string digits;
  std::optional<found_number> longest;
  for (std::size_t at = from; at < line.size() && at - from < 64; ++at) {
    if (line[at] == ',' && at + 1 < line.size() && line[at + 1] >= '0' && line[at + 1] <= '9')
      continue;
    digits += line[at];
    if (const auto value = exposition_number(digits)) longest = {*value, at + 1};
  }
  return longest;
}

enum class fit { none, broken, whole };

fit match(const log_pattern& pattern, std::string_view line, std::vector<double>& values) {
  const auto first = find(pattern.between.front(), line, 0);
  if (!first) return fit::none;
  std::size_t at = first->at + first->length;
  values.clear();
  for (std::size_t i = 0; i < pattern.names.size(); ++i) {
    const auto number = number_at(line, at);
    if (!number) return fit::broken;
    values.push_back(number->value);
    const auto length = length_of(pattern.between[i + 1], line, number->end);
    if (!length) return fit::broken;
    at = number->end + *length;
  }
  return fit::whole;
}

class reader {
 public:
  explicit reader(std::string_view file) : file_(file) { begin(); }

  void take(std::string_view line, std::size_t number, const std::vector<log_pattern>& patterns) {
    ++now_.line_count;
    for (const log_pattern& pattern : patterns) {
      const fit how = match(pattern, line, values_);
      if (how == fit::broken)
        now_.problems.push_back(
            {number,
             fmt::format("begins like the pattern with {{{}}} and goes on otherwise",
                         printable(pattern.names.front(), 40)),
             true});
      if (how == fit::whole) add(pattern, number);
    }
  }

  std::vector<model::exposition> finish() && {
    if (!now_.samples.empty() || all_.empty() || !now_.problems.empty())
      all_.push_back(std::move(now_));
    if (all_.size() > 1)
      for (std::size_t at = 0; at < all_.size(); ++at)
        all_[at].source += fmt::format(" (snapshot {})", at + 1);
    return std::move(all_);
  }

 private:
  void begin() {
    now_ = {};
    now_.source = file_;
    now_.format = "log";
    known_.clear();
  }

  void add(const log_pattern& pattern, std::size_t number) {
    const bool is_again = std::any_of(pattern.names.begin(), pattern.names.end(),
                                      [&](const auto& name) { return known_.count(name) != 0; });
    if (is_again) {
      all_.push_back(std::move(now_));
      begin();
    }
    for (std::size_t i = 0; i < pattern.names.size(); ++i) {
      known_.insert(pattern.names[i]);
      model::exposition_sample sample;
      sample.name = pattern.names[i];
      sample.value = values_[i];
      sample.line = number;
      now_.samples.push_back(std::move(sample));
    }
  }

  std::string file_;
  model::exposition now_;
  std::vector<model::exposition> all_;
  std::unordered_set<std::string> known_;
  std::vector<double> values_;
};

failure misfit(std::string_view text, std::string_view why) {
  return ASSAY_FAIL(usage,
                    fmt::format("--log-pattern '{}': {}; write the line's text with {{name}} where "
                                "each number stands",
                                printable(text), why));
}

}  // namespace

result<log_pattern> parse_log_pattern(std::string_view text) {
  const std::string_view whole = text;
  log_pattern pattern;
  while (true) {
    const std::size_t open = text.find('{');
    pattern.between.emplace_back(text.substr(0, open));
    if (open == std::string_view::npos) break;
    const std::size_t close = text.find('}', open);
    if (close == std::string_view::npos) return misfit(whole, "has a '{' without '}'");
    const std::string_view name = text.substr(open + 1, close - open - 1);
    if (!is_metric_name(name)) return misfit(whole, "has something in braces that is no name");
    if (!pattern.names.empty() && pattern.between.back().empty())
      return misfit(whole, "has two numbers without text between them");
    if (std::find(pattern.names.begin(), pattern.names.end(), name) != pattern.names.end())
      return misfit(whole, "has one name twice");
    pattern.names.emplace_back(name);
    text.remove_prefix(close + 1);
  }
  if (pattern.names.empty()) return misfit(whole, "has no {name}");
  if (pattern.between.front().find_first_not_of(" \t") == std::string::npos)
    return misfit(whole, "begins with a number, which every line may");
  return pattern;
}

std::vector<model::exposition> parse_exposition_log(std::string_view text, std::string_view file,
                                                    const std::vector<log_pattern>& patterns) {
  reader read(file);
  std::size_t number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    read.take(text.substr(0, end), ++number, patterns);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return std::move(read).finish();
}

}  // namespace assay::ingest
