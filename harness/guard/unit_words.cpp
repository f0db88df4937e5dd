// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/guard/unit_words.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace assay::guard {
namespace {

struct unit_word {
  std::string_view word;  ///< at the end of a name
  std::string_view unit;  ///< in a contract
};
constexpr std::array<unit_word, 41> words{{{"seconds", "seconds"},
                                           {"secs", "seconds"},
                                           {"milliseconds", "milliseconds"},
                                           {"millis", "milliseconds"},
                                           {"ms", "milliseconds"},
                                           {"microseconds", "microseconds"},
                                           {"us", "microseconds"},
                                           {"nanoseconds", "nanoseconds"},
                                           {"nanos", "nanoseconds"},
                                           {"ns", "nanoseconds"},
                                           {"bytes", "bytes"},
                                           {"kilobytes", "kilobytes"},
                                           {"kb", "kilobytes"},
                                           {"kib", "kibibytes"},
                                           {"megabytes", "megabytes"},
                                           {"mb", "megabytes"},
                                           {"mib", "mebibytes"},
                                           {"gb", "gigabytes"},
                                           {"gib", "gibibytes"},
                                           {"bits", "bits"},
                                           {"ratio", "ratio"},
                                           {"percent", "percent"},
                                           {"perc", "percent"},
                                           {"pct", "percent"},
                                           {"tokens", "tokens"},
                                           {"pages", "pages"},
                                           {"blocks", "blocks"},
                                           {"requests", "requests"},
                                           {"celsius", "celsius"},
                                           {"watts", "watts"},
                                           {"milliwatts", "milliwatts"},
                                           {"joules", "joules"},
                                           {"millijoules", "millijoules"},
                                           {"volts", "volts"},
                                           {"amperes", "amperes"},
                                           {"hertz", "hertz"},
                                           {"hz", "hertz"},
                                           {"mhz", "megahertz"},
                                           {"bps", "bits_per_second"},
                                           {"tps", "tokens_per_second"},
                                           {"qps", "requests_per_second"}}};

constexpr std::array<std::string_view, 4> further_units{"count", "none", "celsius", "unix_seconds"};
constexpr std::array<std::string_view, 8> suffixes{"_total",   "_bucket", "_sum",    "_count",
                                                   "_created", "_info",   "_gcount", "_gsum"};
// Levels that may lie below zero, or that are no amount.
constexpr std::array<std::string_view, 4> signed_units{"celsius", "none", "volts", "amperes"};

const unit_word* find(std::string_view word) {
  const auto* found =
      std::find_if(words.begin(), words.end(), [&](const unit_word& u) { return u.word == word; });
  return found == words.end() ? nullptr : found;
}

bool is_base(std::string_view unit) {
  return std::any_of(words.begin(), words.end(),
                     [&](const unit_word& u) { return u.unit == unit; }) ||
         std::find(further_units.begin(), further_units.end(), unit) != further_units.end();
}

std::string_view last_word(std::string_view name) {
  const std::size_t at = name.find_last_of("_:.");
  return at == std::string_view::npos ? name : name.substr(at + 1);
}

std::string_view first_word(std::string_view& left) {
  const std::size_t end = std::min(left.find_first_of("_:."), left.size());
  const std::string_view word = left.substr(0, end);
  left.remove_prefix(std::min(end + 1, left.size()));
  return word;
}

template <std::size_t N>
bool is_in(const std::array<std::string_view, N>& words_of, std::string_view word) {
  return std::find(words_of.begin(), words_of.end(), word) != words_of.end();
}

// What is said of an amount at the end of its name, and is no part of its unit.
constexpr std::array<std::string_view, 13> statistics{
    "avg",     "average", "mean", "median",  "min",  "max",   "minimum",
    "maximum", "sum",     "last", "current", "peak", "stddev"};
// p50, p999, q95.
bool is_quantile(std::string_view word) {
  return word.size() > 1 && (word.front() == 'p' || word.front() == 'q') &&
         std::all_of(word.begin() + 1, word.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// A name without what is said of the amount at its end; none where it says that it is a count.
std::optional<std::string_view> without_statistics(std::string_view name) {
  while (true) {
    if (name.ends_with("_count") || name.ends_with("_gcount")) return std::nullopt;
    const std::string_view bare = without_suffix(name);
    const std::string_view last = last_word(name);
    if (bare != name)
      name = bare;
    else if (last.size() < name.size() && (is_in(statistics, last) || is_quantile(last)))
      name.remove_suffix(last.size() + 1);
    else
      return name;
  }
}

// After these a word is what something is divided or sorted by: pods_by_ns.
constexpr std::array<std::string_view, 4> parting_words{"by", "per", "for", "of"};

// Two letters that are a unit of times, and a namespace, or ourselves, of anything else.
constexpr std::array<std::string_view, 2> ambiguous_words{"ns", "us"};
constexpr std::array<std::string_view, 15> time_words{
    "time",  "duration", "latency", "elapsed", "wait",    "delay", "busy", "idle",
    "stall", "cpu",      "host",    "device",  "runtime", "ttft",  "itl"};
bool speaks_of_time(std::string_view name) {
  while (!name.empty())
    if (is_in(time_words, first_word(name))) return true;
  return false;
}

enum class dimension : unsigned char { other, time, data, power, energy, frequency };

dimension dimension_of(std::string_view unit) {
  constexpr std::string_view per_second = "_per_second";
  if (unit.ends_with(per_second)) return dimension::other;
  if (unit.ends_with("seconds") && unit != "unix_seconds") return dimension::time;
  if (unit.ends_with("bytes") || unit == "bits") return dimension::data;
  if (unit.ends_with("watts")) return dimension::power;
  if (unit.ends_with("joules")) return dimension::energy;
  return unit.ends_with("hertz") ? dimension::frequency : dimension::other;
}

}  // namespace

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

bool is_known_unit(std::string_view unit) {
  constexpr std::string_view per_second = "_per_second";
  if (unit.ends_with(per_second)) return is_base(unit.substr(0, unit.size() - per_second.size()));
  return is_base(unit);
}

bool is_amount(std::string_view unit) {
  return std::find(signed_units.begin(), signed_units.end(), unit) == signed_units.end();
}

std::string_view without_suffix(std::string_view name) {
  for (const std::string_view suffix : suffixes)
    if (name.size() > suffix.size() && name.ends_with(suffix))
      return name.substr(0, name.size() - suffix.size());
  return name;
}

std::optional<std::string> unit_of_word(std::string_view word) {
  const std::string small = lower(word);
  if (const unit_word* found = find(small)) return std::string(found->unit);
  return is_known_unit(small) ? std::optional<std::string>(small) : std::nullopt;
}

std::optional<std::string> unit_in_name(std::string_view name) {
  const std::string small = lower(name);
  const std::optional<std::string_view> rest = without_statistics(small);
  if (!rest) return std::nullopt;
  for (const std::string_view per : {"_per_second", "_per_sec", "_per_s"})
    if (rest->ends_with(per)) {
      const unit_word* of = find(last_word(rest->substr(0, rest->size() - per.size())));
      return of == nullptr ? "count_per_second" : std::string(of->unit) + "_per_second";
    }
  // A lone word is a subject and no unit: "requests" counts them, "ms" may be a name.
  if (rest->find_first_of("_:.") == std::string_view::npos) return std::nullopt;
  const std::string_view last = last_word(*rest);
  const unit_word* found = find(last);
  if (found == nullptr) return std::nullopt;
  const std::string_view before = last_word(rest->substr(0, rest->size() - last.size() - 1));
  if (is_in(parting_words, before)) return std::nullopt;
  if (is_in(ambiguous_words, last) && !speaks_of_time(*rest)) return std::nullopt;
  return std::string(found->unit);
}

std::optional<std::string> unit_within(std::string_view name) {
  const std::string small = lower(name);
  const std::optional<std::string_view> rest = without_statistics(small);
  if (!rest) return std::nullopt;
  const unit_word* found = nullptr;
  std::string_view before;
  for (std::string_view left = *rest; !left.empty();) {
    const std::string_view word = first_word(left);
    const unit_word* of = find(word);
    if (of != nullptr && dimension_of(of->unit) != dimension::other &&
        (word.size() > 3 || is_in(ambiguous_words, word))) {
      // Two units, or one that something is divided by or sorted by, and who can tell.
      if (found != nullptr || is_in(parting_words, before)) return std::nullopt;
      found = of;
    }
    if (word == "per") return std::nullopt;
    before = word;
  }
  if (found == nullptr) return std::nullopt;
  return std::string(found->unit);
}

bool is_same_dimension(std::string_view one, std::string_view other) {
  return dimension_of(one) != dimension::other && dimension_of(one) == dimension_of(other);
}

}  // namespace assay::guard
