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

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

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

}  // namespace

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
  std::string_view rest = small;
  // A count of seconds does not exist; of a histogram of seconds it does, and its unit is none.
  while (without_suffix(rest) != rest) rest = without_suffix(rest);
  for (const std::string_view per : {"_per_second", "_per_sec", "_per_s"})
    if (rest.ends_with(per)) {
      const unit_word* of = find(last_word(rest.substr(0, rest.size() - per.size())));
      return of == nullptr ? "count_per_second" : std::string(of->unit) + "_per_second";
    }
  // A lone word is a subject and no unit: "requests" counts them, "ms" may be a name.
  if (rest.find_first_of("_:.") == std::string_view::npos) return std::nullopt;
  const unit_word* found = find(last_word(rest));
  if (found == nullptr) return std::nullopt;
  return std::string(found->unit);
}

}  // namespace assay::guard
