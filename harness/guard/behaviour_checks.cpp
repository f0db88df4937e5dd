// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What a metric says that it is against what it does: kind, unit, range.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>

#include <fmt/format.h>

#include "harness/guard/checks.h"
#include "harness/guard/figure.h"
#include "harness/guard/sample_names.h"
#include "harness/guard/unit_words.h"

namespace assay::guard {
namespace {

using model::metric_kind;
using model::severity;

// What a library writes for "none": DCGM's blanks of 32 and 64 bits and of a double.
constexpr std::array<double, 5> blanks{2147483632.0, 2147483633.0, 2147483634.0,
                                       9223372036854775792.0, 140737488355328.0};
constexpr double two_32 = 4294967296.0;
constexpr double two_63 = 9223372036854775808.0;
constexpr double two_64 = 18446744073709551616.0;

// The largest numbers of C, and of 63 bits also those that are a page below: a double holds no
// other near them, and Linux writes them for "no limit".
bool is_largest(double value) {
  return value == two_32 - 1 || value == two_32 / 2 - 1 || value == two_64 ||
         (value >= two_63 - 65536 && value <= two_63);
}

// A small negative number that was read as 64 bits without a sign.
bool is_wrapped(double value) {
  return value >= two_64 - 281474976710656.0 && value < two_64;
}

template <class Fits>
bool has_word_that(std::string_view name, Fits fits) {
  while (!name.empty()) {
    const std::size_t end = std::min(name.find_first_of("_:."), name.size());
    if (fits(name.substr(0, end))) return true;
    name.remove_prefix(std::min(end + 1, name.size()));
  }
  return false;
}

bool has_word(std::string_view name, std::span<const std::string_view> words) {
  return has_word_that(name, [&](std::string_view word) {
    return std::find(words.begin(), words.end(), word) != words.end();
  });
}

// A gauge that says how much there may be, and may say that there is no limit. Of a time a "max" is
// the longest that was seen.
bool is_limit(const model::promised_metric& metric) {
  if (is_cumulative(metric.kind)) return false;
  static constexpr std::array<std::string_view, 4> limits{"limits", "quota", "capacity", "gogc"};
  static constexpr std::array<std::string_view, 2> most{"max", "maximum"};
  const std::string name = lower(metric.name);
  // gomemlimit, memlimit: a prefix or none.
  return has_word_that(name, [](std::string_view word) { return word.ends_with("limit"); }) ||
         has_word(name, limits) || (!metric.unit.ends_with("seconds") && has_word(name, most));
}

// A level that lies on both sides of 0, whatever its unit.
bool is_signed(const model::promised_metric& metric) {
  static constexpr std::array<std::string_view, 9> words{"offset",     "skew",      "drift",
                                                         "delta",      "diff",      "difference",
                                                         "adjustment", "deviation", "change"};
  return !is_cumulative(metric.kind) && has_word(lower(metric.name), words);
}

// A help text that describes a level of a thing that calls itself a counter.
std::optional<std::string_view> level_word(const std::string& help) {
  for (const std::string_view word :
       {"rate of", "per second", "instantaneous", "current ", "utilization"})
    if (help.find(word) != std::string::npos) return word;
  return std::nullopt;
}

// A quotient of two amounts of which neither is a part of the other.
bool is_quotient(const model::promised_metric& metric) {
  static constexpr std::array<std::string_view, 11> words{
      "speedup",       "acceleration",     "amplification", "compression",
      "decompression", "oversubscription", "overcommit",    "multiplier",
      "scaling",       "inflation",        "growth"};
  return !is_cumulative(metric.kind) && has_word(lower(metric.name), words);
}

void look_at_falls(const model::promised_metric& metric, const series_index& before,
                   const series_index& after, check_log& log) {
  std::unordered_map<std::string_view, const model::exposition_sample*> old;
  for (const auto* sample : before.amounts(metric)) old.emplace(sample->labels, sample);
  for (const auto* sample : after.amounts(metric)) {
    const auto found = old.find(sample->labels);
    if (found == old.end()) continue;
    log.looked();
    if (!(sample->value < found->second->value)) continue;
    const auto [from, to] = figures(found->second->value, sample->value);
    log.find(severity::error, "R11", metric.name,
             fmt::format("{} is promised a {} and fell from {} to {}: a level, or a rate, that "
                         "calls itself a counter",
                         metric.name, to_string(metric.kind), from, to),
             place_of(after.from().source, sample->line));
    return;  // one is enough to say what it is
  }
}

void look_at_falls(const model::promised_metric& metric, const subject& of, check_log& log) {
  if (!is_cumulative(metric.kind)) return;
  for (std::size_t at = 1; at < of.snapshots.size(); ++at) {
    if (is_restarted(of.snapshots[at - 1], of.snapshots[at]))
      log.cannot_judge(of.snapshots[at].from().source,
                       fmt::format("whether {} fell: the process began anew", metric.name));
    else
      look_at_falls(metric, of.snapshots[at - 1], of.snapshots[at], log);
  }
}

void look_at_type(const model::promised_metric& metric, const series_index& in, check_log& log) {
  const auto* family = in.family(metric.name);
  if (family == nullptr) return;
  const std::string where = place_of(in.from().source, family->line);
  if (family->kind != metric_kind::unknown && metric.kind != metric_kind::unknown) {
    log.looked();
    if (family->kind != metric.kind)
      log.find(severity::error, "R11", metric.name,
               fmt::format("{} is promised a {} and publishes itself as a {}", metric.name,
                           to_string(metric.kind), to_string(family->kind)),
               where);
  }
  if (family->kind != metric_kind::counter) return;
  log.looked();
  if (const auto word = level_word(lower(family->help)))
    log.find(severity::warning, "R11", metric.name,
             fmt::format("{} publishes itself as a counter, and its help speaks of a level ('{}')",
                         metric.name, *word),
             where);
}

std::string what_is_marked(double value) {
  if (!std::isfinite(value)) return "no finite number";
  if (is_wrapped(value)) return "a number below 0 that lost its sign in 64 bits";
  if (is_largest(value) || std::find(blanks.begin(), blanks.end(), value) != blanks.end())
    return "a mark for 'no value', published as one";
  return {};
}

void look_at_limits(const model::promised_metric& metric, const model::exposition_sample& sample,
                    std::string_view source, check_log& log) {
  constexpr double none = std::numeric_limits<double>::infinity();
  // A share that was added up may be a rounding above its whole.
  constexpr double rounding = 1e-9;
  // What is allowed may be more than one whole (of four cores), and so may what something is
  // changed by.
  const bool is_share = (metric.unit == "ratio" || metric.unit == "percent") && !is_limit(metric) &&
                        !is_signed(metric) && !is_quotient(metric);
  const double whole = (metric.unit == "percent" ? 100.0 : 1.0) * (1 + rounding);
  const bool has_floor = is_amount(metric.unit) && !is_signed(metric);
  const double least = metric.least.value_or(has_floor ? 0.0 : -none);
  const double most = metric.most.value_or(is_share ? whole : none);
  const bool is_unlimited = sample.value == -1 || sample.value == none || is_largest(sample.value);
  if (is_unlimited && !metric.least && !metric.most && is_limit(metric)) return;
  const auto outside = [&](const std::string& value, const std::string& why) {
    log.find_first(severity::error, "R12", metric.name,
                   fmt::format("{} is {}: {}", metric.name, value, why),
                   place_of(source, sample.line));
  };
  if (const std::string mark = what_is_marked(sample.value); !mark.empty())
    return outside(figure(sample.value), mark);
  if (sample.value < least) {
    const auto [value, limit] = figures(sample.value, least);
    return outside(value, "below " + limit);
  }
  if (sample.value > most) {
    const auto [value, limit] =
        figures(sample.value, metric.most.value_or(whole > 2 ? 100.0 : 1.0));
    outside(value,
            fmt::format("above {}, the most of its {}", limit, metric.most ? "contract" : "unit"));
  }
}

// A summary without observations has quantiles that are NaN by the format's own rule.
const series_index::sample_list& ranged(const model::promised_metric& metric,
                                        const series_index& in) {
  if (metric.kind == metric_kind::gauge_histogram) return in.samples(metric.name + "_gsum");
  return is_several(metric.kind) ? in.samples(metric.name + "_sum") : in.samples(metric.name);
}

bool is_nan_alone(const model::promised_metric& metric, const subject& of) {
  return std::all_of(of.snapshots.begin(), of.snapshots.end(), [&](const series_index& in) {
    const auto& samples = ranged(metric, in);
    return std::all_of(samples.begin(), samples.end(),
                       [](const auto* sample) { return std::isnan(sample->value); });
  });
}

void tell_nan(const model::promised_metric& metric, const subject& of, check_log& log) {
  for (const auto& snapshot : of.snapshots)
    for (const auto* sample : ranged(metric, snapshot)) {
      log.looked();
      log.find_first(severity::error, "R12", metric.name,
                     fmt::format("{} holds NaN alone, no finite number", metric.name),
                     place_of(snapshot.from().source, sample->line));
    }
}

}  // namespace

void check_kind(const subject& of, check_log& log) {
  if (of.snapshots.empty()) return log.absent("no metrics were given");
  for (const auto& metric : of.contract->metrics) {
    const bool is_there = std::any_of(of.snapshots.begin(), of.snapshots.end(),
                                      [&](const series_index& in) { return in.has(metric); });
    if (!is_there) continue;
    log.looked();
    if (metric.kind == metric_kind::gauge && metric.name.ends_with("_total"))
      log.find(severity::error, "R11", metric.name,
               fmt::format("{} is promised a gauge, and its name calls it a counter", metric.name),
               place_of(of.contract->source, metric.line));
    for (const auto& snapshot : of.snapshots) {
      if (snapshot.family(metric.name) == nullptr) continue;
      look_at_type(metric, snapshot, log);
      break;
    }
    look_at_falls(metric, of, log);
  }
}

void check_range(const subject& of, check_log& log) {
  if (of.snapshots.empty()) return log.absent("no metrics were given");
  for (const auto& metric : of.contract->metrics) {
    if (metric.kind == metric_kind::info) continue;
    if (is_nan_alone(metric, of)) {
      tell_nan(metric, of, log);
      continue;
    }
    for (const auto& snapshot : of.snapshots)
      for (const auto* sample : ranged(metric, snapshot)) {
        log.looked();
        look_at_limits(metric, *sample, snapshot.from().source, log);
      }
  }
}

}  // namespace assay::guard
