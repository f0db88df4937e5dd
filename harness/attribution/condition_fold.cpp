// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/attribution/condition_fold.h"

#include <algorithm>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "probes/trace/bounded.h"

namespace assay::attribution {
namespace {

using trace::condition_kind;
using trace::difference;

// A clock that turbo moves by a step is within it; one that heat or a power cap holds down is not.
constexpr double clock_ratio = 0.10;
constexpr double time_ratio = 0.01;

double share(std::int64_t part, std::int64_t whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0.0;
}

std::string percent(double ratio) {
  return fmt::format("{:.1f} %", 100.0 * ratio);
}

condition_verdict clock_verdict(const condition_course& course) {
  const double fell = share(difference(course.most, course.least), course.most);
  if (course.least <= 0) return {true, "a clock of 0 is no clock"};
  return {fell > clock_ratio,
          fmt::format("its least is {} below its most{}", percent(fell),
                      fell > clock_ratio ? ": times of this run are not of one speed" : "")};
}

condition_verdict time_verdict(const condition_course& course) {
  // A share of no time at all would read as none.
  if (course.last > course.first && (course.has_time_gone_back || course.end_ns <= course.begin_ns))
    return {true, "the times of its samples do not rise: over how long it was gained is not known"};
  const double part =
      share(difference(course.last, course.first), difference(course.end_ns, course.begin_ns));
  return {part > time_ratio, fmt::format("{} of the time between the samples", percent(part))};
}

// Counted in ticks: one more or less says nothing.
condition_verdict stolen_verdict(const condition_course& course) {
  constexpr std::int64_t tick_ns = 10'000'000;
  condition_course but_one = course;
  but_one.last = std::max(course.first, difference(course.last, tick_ns));
  return {time_verdict(but_one).is_flagged, time_verdict(course).words + ", of all cores together"};
}

condition_verdict any_verdict(const condition_course& course) {
  const bool has_grown = course.last > course.first;
  return {has_grown, has_grown ? "it happened during the run" : "not once during the run"};
}

condition_verdict constant_verdict(const condition_course& course) {
  const bool has_moved = course.least != course.most;
  return {has_moved, has_moved ? "it changed during the run" : "the same in every sample"};
}

condition_verdict load_verdict(const condition_course& course, std::int64_t allowed_cores) {
  if (allowed_cores <= 0) return {false, "how many cores there were is not known", false};
  constexpr std::int64_t milli = 1000;
  const bool is_full = course.most / milli > allowed_cores ||
                       (course.most / milli == allowed_cores && course.most % milli > 0);
  return {is_full, is_full ? fmt::format("more threads wanted to run than the {} cores can carry",
                                         allowed_cores)
                           : fmt::format("no more than the {} cores can carry", allowed_cores)};
}

condition_verdict bits_verdict(const condition_course& course) {
  return {(course.bits & ~trace::harmless_clock_events) != 0,
          "seen: " + trace::clock_event_words(course.bits)};
}

condition_verdict bounded_verdict(const trace::condition_row& row, const condition_course& course,
                                  std::int64_t allowed_cores) {
  switch (row.id) {
    case ASSAY_CORE_CLOCK_TIMED:
    case ASSAY_CORE_CLOCK_CPUFREQ:
    case ASSAY_SM_CLOCK:
    case ASSAY_GPU_MEMORY_CLOCK:
      return clock_verdict(course);
    case ASSAY_THERMAL_THROTTLES:
    case ASSAY_GROUP_THROTTLES:
      return any_verdict(course);
    case ASSAY_GROUP_THROTTLED:
    case ASSAY_MEMORY_PRESSURE:
      return time_verdict(course);
    case ASSAY_STOLEN_TIME:
      return stolen_verdict(course);
    case ASSAY_ALLOWED_CORES:
    case ASSAY_LINK_GENERATION:
    case ASSAY_LINK_WIDTH:
      return constant_verdict(course);
    case ASSAY_LOAD_AVERAGE:
      return load_verdict(course, allowed_cores);
    case ASSAY_CLOCK_EVENTS:
      return bits_verdict(course);
    default:
      return {false, "no bound: as it was", false};
  }
}

}  // namespace

void condition_course::take(condition_kind kind, std::int64_t at_ns, std::int64_t value) {
  const std::int64_t before = last;
  last = value;
  has_time_gone_back = has_time_gone_back || (samples > 0 && at_ns < end_ns);
  end_ns = at_ns;
  bits |= static_cast<std::uint64_t>(value);
  if (samples++ == 0) {
    first = value;
    begin_ns = at_ns;
    least = most = kind == condition_kind::total ? 0 : value;
    return;
  }
  has_gone_back = has_gone_back || (kind == condition_kind::total && value < before);
  const std::int64_t now = kind == condition_kind::total ? difference(value, before) : value;
  const bool is_first_gain = kind == condition_kind::total && samples == 2;
  least = is_first_gain ? now : std::min(least, now);
  most = is_first_gain ? now : std::max(most, now);
}

condition_verdict verdict_of(const trace::condition_row& row, const condition_course& course,
                             std::int64_t allowed_cores) {
  if (course.has_gone_back) return {true, "its count went back: what was gained is not known"};
  if (course.samples < 2 && row.kind != condition_kind::bits)
    return {false, "sampled once: whether it changed is not known", false};
  return bounded_verdict(row, course, allowed_cores);
}

void condition_fold::take(const assay_record& sample, bool is_in_pass) {
  const auto index = trace::condition_index(sample.op);
  if (!index) return;
  if (!has_origin_) origin_ns_ = sample.start_ns;
  has_origin_ = true;
  condition_course& course = courses_[*index];
  const condition_kind kind = trace::condition_rows()[*index].kind;
  const bool is_total = kind == condition_kind::total;
  const std::int64_t before = course.last;
  const bool is_first = course.samples == 0;
  course.take(kind, sample.start_ns, sample.amount);
  course.samples_in_passes += is_in_pass ? 1 : 0;
  if (is_total && is_first) return;
  stretches_[*index].add(difference(sample.start_ns, origin_ns_),
                         is_total ? difference(sample.amount, before) : sample.amount);
}

void condition_fold::take_absent(const std::vector<trace::absent_condition>& absent) {
  for (const trace::absent_condition& each : absent) {
    const auto known = std::find_if(absent_.begin(), absent_.end(),
                                    [&](const auto& one) { return one.name == each.name; });
    if (known == absent_.end())
      absent_.push_back(each);
    else
      known->reason = each.reason;
  }
}

std::vector<model::condition_line> condition_fold::lines() const {
  constexpr std::string_view kinds[] = {"level", "total", "bits"};
  const auto rows = trace::condition_rows();
  const auto cores = trace::condition_index(std::uint8_t{ASSAY_ALLOWED_CORES});
  const std::int64_t allowed_cores = courses_[*cores].last;
  std::vector<model::condition_line> out;
  for (std::size_t at = 0; at < rows.size(); ++at) {
    const condition_course& course = courses_[at];
    const auto why = std::find_if(absent_.begin(), absent_.end(),
                                  [&](const auto& each) { return each.name == rows[at].name; });
    if (course.samples == 0 && why == absent_.end()) continue;
    model::condition_line& line = out.emplace_back();
    line.name = rows[at].name;
    line.unit = rows[at].unit;
    line.kind = kinds[static_cast<std::size_t>(rows[at].kind)];
    line.is_of_gpu = rows[at].is_of_gpu;
    line.samples = course.samples;
    line.samples_in_passes = course.samples_in_passes;
    if (course.samples == 0) {
      line.absence = why->reason;
      continue;
    }
    line.first = course.first;
    line.last = course.last;
    line.least = course.least;
    line.most = course.most;
    line.gained = difference(course.last, course.first);
    condition_verdict verdict = verdict_of(rows[at], course, allowed_cores);
    line.has_bound = verdict.has_bound;
    line.is_flagged = verdict.is_flagged;
    line.reads_as = std::move(verdict.words);
    line.stretches = stretches_[at].stretches();
  }
  return out;
}

}  // namespace assay::attribution
