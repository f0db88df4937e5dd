// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/ingest/exposition_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "harness/ingest/complaint.h"
#include "harness/ingest/sample_line.h"

namespace assay::ingest {
namespace {

using model::metric_kind;

constexpr std::int64_t most_ahead_ms = 5 * 60 * 1000;
// No server of the four that the fixtures are shaped like writes more than 30 labels or 2 KB.
constexpr std::size_t most_labels = 64;
constexpr std::size_t most_label_bytes = std::size_t{16} << 10;

struct kind_word {
  std::string_view word;
  metric_kind kind;
};
constexpr std::array<kind_word, 9> kinds{{{"counter", metric_kind::counter},
                                          {"gauge", metric_kind::gauge},
                                          {"histogram", metric_kind::histogram},
                                          {"gaugehistogram", metric_kind::gauge_histogram},
                                          {"summary", metric_kind::summary},
                                          {"info", metric_kind::info},
                                          {"stateset", metric_kind::gauge},
                                          {"untyped", metric_kind::unknown},
                                          {"unknown", metric_kind::unknown}}};

const kind_word* kind_of(std::string_view word) {
  const auto* found =
      std::find_if(kinds.begin(), kinds.end(), [&](const kind_word& k) { return k.word == word; });
  return found == kinds.end() ? nullptr : found;
}

std::span<const std::string_view> parts_of(metric_kind kind) {
  static constexpr std::array<std::string_view, 3> of_histogram{"_sum", "_count", "_bucket"};
  static constexpr std::array<std::string_view, 3> of_gauge_histogram{"_gsum", "_gcount",
                                                                      "_bucket"};
  if (kind == metric_kind::histogram) return of_histogram;
  if (kind == metric_kind::gauge_histogram) return of_gauge_histogram;
  if (kind == metric_kind::summary) return std::span(of_histogram).first(2);
  return {};
}

std::string_view first_word(std::string_view& rest) {
  const std::size_t start = std::min(rest.find_first_not_of(" \t"), rest.size());
  rest.remove_prefix(start);
  const std::size_t end = std::min(rest.find_first_of(" \t"), rest.size());
  const std::string_view word = rest.substr(0, end);
  rest.remove_prefix(end);
  return word;
}

// A word, or what stands in quotes, with them: a name of any letters may hold blanks.
std::string_view first_name(std::string_view& rest) {
  rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
  if (!rest.starts_with('"')) return first_word(rest);
  for (std::size_t at = 1; at < rest.size(); ++at) {
    if (rest[at] == '\\') {
      ++at;
    } else if (rest[at] == '"') {
      const std::string_view name = rest.substr(0, at + 1);
      rest.remove_prefix(at + 1);
      return name;
    }
  }
  return first_word(rest);
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r'))
    text.remove_suffix(1);
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  return text;
}

bool is_text(std::string_view line) {
  return std::all_of(line.begin(), line.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte >= 0x20 && byte != 0x7f) || byte == '\t';
  });
}

class reader {
 public:
  reader(std::string_view file, bool is_open_metrics, std::int64_t now_unix_ms)
      : file_(file), is_open_metrics_(is_open_metrics), now_unix_ms_(now_unix_ms) {
    begin();
  }

  void take(std::string_view line, std::size_t number) {
    number_ = number;
    ++now_.line_count;
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    const std::string_view text = trimmed(line);
    if (text.empty()) return;
    if (!is_text(text)) {
      ++no_text_count_;
      return skip("holds bytes that are no text");
    }
    if (text.front() == '#')
      take_comment(text.substr(1));
    else
      take_sample(text);
  }

  std::vector<model::exposition> finish(bool is_cut, bool has_zero) && {
    const bool is_begun = !now_.samples.empty() || !now_.families.empty();
    if (is_open_metrics_ && is_begun)
      now_.problems.push_back({number_,
                               "is the last, and no # EOF follows: the rest of the file is lost",
                               false, true});
    else if (is_cut)
      note("is the last and is not ended: the file may be cut off");
    if (now_.line_count > 0 || all_.empty()) end();
    if (has_zero || no_text_count_ >= 10) fold_if_binary();
    if (all_.size() > 1)
      for (std::size_t at = 0; at < all_.size(); ++at)
        all_[at].source += fmt::format(" (snapshot {})", at + 1);
    return std::move(all_);
  }

 private:
  void begin() {
    now_ = {};
    now_.source = file_;
    now_.format = is_open_metrics_ ? "OpenMetrics text" : "Prometheus text";
    families_.clear();
    series_.clear();
    typed_.clear();
  }
  void end() {
    all_.push_back(std::move(now_));
    begin();
  }
  void note(std::string what) { now_.problems.push_back({number_, std::move(what), false}); }
  void skip(std::string what) { now_.problems.push_back({number_, std::move(what), true}); }

  // Its thousands of lines are one complaint. What of it can be read stays.
  void fold_if_binary() {
    if (no_text_count_ * 10 < number_) return;
    model::exposition_problem whole;
    whole.is_skipped = true;
    whole.lines = 0;
    for (model::exposition& each : all_) {
      for (const auto& problem : each.problems) {
        if (!problem.is_skipped) continue;
        if (++whole.lines == 1) whole.line = problem.line;
      }
      std::erase_if(each.problems, [](const auto& problem) { return problem.is_skipped; });
    }
    whole.what = fmt::format(
        "holds bytes that are no text: the file is binary, and {} of its {} lines are no metrics",
        whole.lines, number_);
    all_.front().problems.insert(all_.front().problems.begin(), std::move(whole));
  }

  model::exposition_family& family(std::string_view name) {
    const auto [at, is_new] = families_.try_emplace(std::string(name), now_.families.size());
    if (is_new) {
      now_.families.push_back({});
      now_.families.back().name = name;
      now_.families.back().line = number_;
    }
    return now_.families[at->second];
  }

  void take_comment(std::string_view rest) {
    const std::string_view keyword = first_word(rest);
    if (keyword == "EOF") {
      if (trimmed(rest).empty()) end();
      return;
    }
    if (keyword != "HELP" && keyword != "TYPE" && keyword != "UNIT") return;
    std::string_view name = first_name(rest);
    if (name.size() > 2 && name.front() == '"' && name.back() == '"')
      name = name.substr(1, name.size() - 2);
    else if (!is_metric_name(name))
      return skip(fmt::format("declares '{}', which is no name", printable(name, 40)));
    if (keyword == "HELP") take_help(name, trimmed(rest));
    if (keyword == "TYPE") take_type(name, trimmed(rest));
    if (keyword == "UNIT") take_unit(name, trimmed(rest));
  }

  void take_help(std::string_view name, std::string_view help) {
    model::exposition_family& of = family(name);
    if (!of.help.empty() && of.help != help)
      return note(fmt::format("gives {} a second help text", printable(name)));
    of.help = help;
  }

  void take_type(std::string_view name, std::string_view word) {
    const kind_word* kind = kind_of(word);
    if (kind == nullptr)
      return skip(fmt::format("gives {} the type '{}', which is none", printable(name),
                              printable(word, 40)));
    model::exposition_family& of = family(name);
    if (!typed_.insert(std::string(name)).second)
      return skip(fmt::format("gives {} a second type", printable(name)));
    of.kind = kind->kind;
    of.line = number_;
    look_for_parts(name, of.kind);
  }

  // `a_sum` beside the histogram `a`, whichever is declared first: nobody can tell whose a sample
  // of that name is.
  void look_for_parts(std::string_view name, metric_kind kind) {
    const auto tell = [&](std::string_view part, std::string_view whole, metric_kind of) {
      note(fmt::format(
          "declares two that publish {}: one of that name, which the {} {} publishes, too",
          printable(part), to_string(of), printable(whole)));
    };
    for (const std::string_view suffix : parts_of(kind)) {
      const std::string part = std::string(name) + std::string(suffix);
      if (typed_.count(part) != 0) tell(part, name, kind);
    }
    const std::size_t end = name.rfind('_');
    if (end == std::string_view::npos) return;
    const auto whole = families_.find(std::string(name.substr(0, end)));
    if (whole == families_.end()) return;
    const metric_kind of = now_.families[whole->second].kind;
    for (const std::string_view suffix : parts_of(of))
      if (suffix == name.substr(end)) tell(name, name.substr(0, end), of);
  }

  void take_unit(std::string_view name, std::string_view unit) {
    model::exposition_family& of = family(name);
    if (!of.unit.empty() && of.unit != unit)
      return note(fmt::format("gives {} a second unit", printable(name)));
    of.unit = unit;
  }

  void take_sample(std::string_view line) {
    auto parsed = parse_sample_line(line);
    if (!parsed) return skip(parsed.error().what);
    const auto [first, is_new] = series_.try_emplace(parsed->name + '\0' + parsed->labels, number_);
    if (!is_new)
      return skip(fmt::format("is a second sample of {}, which line {} has",
                              printable(parsed->name), first->second));
    if (parsed->label_count > most_labels || parsed->labels.size() > most_label_bytes)
      note(fmt::format("has {} labels of {} bytes", parsed->label_count, parsed->labels.size()));
    model::exposition_sample sample;
    sample.name = std::move(parsed->name);
    sample.labels = std::move(parsed->labels);
    sample.value = parsed->value;
    sample.line = number_;
    if (parsed->time) take_time(*parsed->time, sample);
    now_.samples.push_back(std::move(sample));
  }

  void take_time(double written, model::exposition_sample& sample) {
    const double ms = is_open_metrics_ ? written * 1e3 : written;
    // 2^53 ms is the year 287396: beyond it a double no longer tells one ms from the next.
    if (std::abs(ms) > 9007199254740992.0) return note("has a time beyond all calendars");
    sample.unix_ms = static_cast<std::int64_t>(ms);
    if (*sample.unix_ms > now_unix_ms_ + most_ahead_ms)
      note(fmt::format("is stamped {} s in the future", (*sample.unix_ms - now_unix_ms_) / 1000));
  }

  std::string file_;
  bool is_open_metrics_;
  std::int64_t now_unix_ms_;
  std::size_t number_ = 0;
  std::size_t no_text_count_ = 0;
  model::exposition now_;
  std::vector<model::exposition> all_;
  std::unordered_map<std::string, std::size_t> families_;
  std::unordered_map<std::string, std::size_t> series_;
  std::unordered_set<std::string> typed_;
};

// What OpenMetrics has and Prometheus text has not: its end mark, a unit, four types. A file that
// was cut off has no end mark any more.
bool is_open_metrics_text(std::string_view text) {
  if (text.starts_with("# EOF") || text.find("\n# EOF") != std::string_view::npos) return true;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = trimmed(text.substr(at, end - at));
    at = end + 1;
    if (line.starts_with("# UNIT ")) return true;
    if (!line.starts_with("# TYPE ")) continue;
    for (const std::string_view type : {" info", " stateset", " gaugehistogram", " unknown"})
      if (line.ends_with(type)) return true;
  }
  return false;
}

}  // namespace

bool is_exposition_text(std::string_view start) {
  if (start.starts_with("# HELP ") || start.starts_with("# TYPE ")) return true;
  if (start.find("\n# TYPE ") != std::string_view::npos) return true;
  // A bare sample: the first line that is no comment.
  while (!start.empty()) {
    const std::string_view line = trimmed(start.substr(0, start.find('\n')));
    if (!line.empty() && line.front() != '#') return parse_sample_line(line).has_value();
    const std::size_t end = start.find('\n');
    if (end == std::string_view::npos) break;
    start.remove_prefix(end + 1);
  }
  return false;
}

std::vector<model::exposition> parse_exposition_text(std::string_view text, std::string_view file,
                                                     std::int64_t now_unix_ms) {
  const bool is_open_metrics = is_open_metrics_text(text);
  reader read(file, is_open_metrics, now_unix_ms);
  const bool has_zero = text.find('\0') != std::string_view::npos;
  std::size_t number = 0;
  bool is_cut = false;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    is_cut = end == std::string_view::npos && !text.starts_with("# EOF");
    read.take(text.substr(0, end), ++number);
    text.remove_prefix(is_cut || end == std::string_view::npos ? text.size() : end + 1);
  }
  return std::move(read).finish(is_cut, has_zero);
}

}  // namespace assay::ingest
