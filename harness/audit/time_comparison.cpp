// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/audit/time_comparison.h"

#include <algorithm>
#include <cmath>

#include "harness/audit/comparison.h"

namespace assay::audit {
namespace {

// Lower median, so that it is a value that occurred.
double median(std::vector<double>& values) {
  if (values.empty()) return 0.0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

template <class Field>
double median_of(const std::vector<time_sample>& samples, Field field) {
  std::vector<double> values;
  values.reserve(samples.size());
  for (const time_sample& sample : samples) values.push_back(field(sample));
  return median(values);
}

void add(time_sums& to, const time_sample& sample) {
  ++to.windows;
  to.claimed += sample.claimed;
  to.low += sample.low;
  to.high += sample.high;
}

// Written so that a NaN is outside.
bool is_within(const time_sums& sums, double slack_per_window) {
  const double slack = slack_per_window * static_cast<double>(sums.windows);
  return sums.claimed >= sums.low - std::max(slack, relative_slack * sums.low) &&
         sums.claimed <= sums.high + std::max(slack, relative_slack * sums.high);
}

time_sums without(const time_sums& all, const time_sums& part) {
  return {all.windows - part.windows, all.claimed - part.claimed, all.low - part.low,
          all.high - part.high};
}

// How far outside of the reference's interval, slack included; 0 inside.
double apart_ns(const time_sample& sample, double slack_per_window) {
  return std::max(
      {0.0, sample.low - std::max(slack_per_window, relative_slack * sample.low) - sample.claimed,
       sample.claimed - sample.high - std::max(slack_per_window, relative_slack * sample.high)});
}

// A claim of 0 is silence, and one above the window's own span is impossible: neither is what an
// interruption does. A NaN compares false.
bool may_be_interrupted(const time_sample& sample, double slack_per_window) {
  const double apart = apart_ns(sample, slack_per_window);
  return apart > 0.0 && apart <= interruption_max_ns && sample.claimed > 0.0 &&
         (sample.host_span_ns == 0.0 || sample.claimed <= sample.host_span_ns + slack_per_window);
}

// Who is named here depends on what is compared: hence so few of them, and no more than a slice.
void set_interrupted_aside(const std::vector<time_sample>& kept, double slack_per_window,
                           time_group& group) {
  if (slack_per_window == 0.0 || kept.size() < interrupted_min_windows) return;
  std::vector<time_sample> apart;
  for (const time_sample& sample : kept)
    if (may_be_interrupted(sample, slack_per_window)) apart.push_back(sample);
  const auto most = std::max<std::size_t>(
      1, static_cast<std::size_t>(interrupted_max_ratio * static_cast<double>(kept.size())));
  std::stable_sort(apart.begin(), apart.end(), [&](const time_sample& a, const time_sample& b) {
    return apart_ns(a, slack_per_window) > apart_ns(b, slack_per_window);
  });
  if (apart.size() > most) apart.resize(most);
  for (const time_sample& sample : apart) add(group.interrupted, sample);
}

// Sums up a block without its stretched windows, the most stretched first and at most the share
// that may be left out. Who is left out depends on the harness's own spans, never on what is
// compared.
void leave_out(std::vector<time_sample>& samples, double typical_ns, double slack_per_window,
               time_group& group) {
  std::stable_sort(samples.begin(), samples.end(), [](const time_sample& a, const time_sample& b) {
    return a.host_span_ns > b.host_span_ns;
  });
  const double most = excluded_max_ratio * static_cast<double>(samples.size());
  double stretched = 0.0;
  std::vector<time_sample> kept;
  for (const time_sample& sample : samples) {
    add(group.all, sample);
    const bool is_stretched =
        typical_ns > 0.0 && sample.host_span_ns > disturbance_ratio * typical_ns;
    if (is_stretched) ++group.stretched;
    stretched += is_stretched ? 1.0 : 0.0;
    if (is_stretched && stretched <= most) continue;
    add(group.kept, sample);
    kept.push_back(sample);
  }
  set_interrupted_aside(kept, slack_per_window, group);
}

}  // namespace

number widened_bound(const number& bound, const counter_spec& spec, bool is_upper) {
  if (!spec.is_timed()) return bound;
  const double value = bound.as_double();
  const double least = spec.unit == unit::ns ? bracket_slack_ns : 0.0;
  const double slack = std::max(least, relative_slack * std::abs(value));
  const double moved = is_upper ? value + slack : value - slack;
  if (spec.is_real()) return number::of_real(moved);
  // Beyond this an int64 overflows; no clock gets there, but a crafted trace does.
  return number::of(static_cast<std::int64_t>(std::clamp(moved, -9e18, 9e18)));
}

time_outcome time_group::outcome(double slack_per_window) const {
  if (all.windows == 0) return time_outcome::empty;
  if (is_within(kept, slack_per_window) || is_within(without(kept, interrupted), slack_per_window))
    return time_outcome::holds;
  const double most = excluded_max_ratio * static_cast<double>(all.windows);
  if (static_cast<double>(stretched) <= most) return time_outcome::broken;
  return is_within(all, slack_per_window) ? time_outcome::holds : time_outcome::unclear;
}

void time_comparison::compare(const window_name& where, const time_sample& sample) {
  block& into = blocks_[static_cast<std::size_t>(where.kind)];
  if (into.samples.capacity() == 0) into.samples.reserve(block_windows);
  into.samples.push_back(sample);
  track_zeros(where, sample);
  if (into.samples.size() == block_windows) fold(where.kind);
}

void time_comparison::track_zeros(const window_name& where, const time_sample& sample) {
  if (!(sample.low > 0.0)) return;
  ++active_;
  if (sample.claimed != 0.0) {
    run_ = {};
    return;
  }
  if (run_.windows == 0) run_begin_ = where;
  add(run_, sample);
  if (run_.low <= worst_run_.low) return;
  worst_run_ = run_;
  worst_run_begin_ = run_begin_;
}

void time_comparison::fold(int kind) {
  block& from = blocks_[static_cast<std::size_t>(kind)];
  time_group& group = groups_[static_cast<std::size_t>(kind)];
  if (from.samples.empty()) return;
  // Only decode steps are alike enough for their spans to be comparable: prefills and requests are
  // as long as their prompts.
  double typical_ns = from.last_median_ns;
  if (kind != ASSAY_WINDOW_DECODE_STEP)
    typical_ns = 0.0;
  else if (from.samples.size() >= median_min_windows)
    typical_ns = median_of(from.samples, [](const time_sample& s) { return s.host_span_ns; });
  from.last_median_ns = typical_ns;
  if (!from.has_medians) {
    group.median_claimed = median_of(from.samples, [](const time_sample& s) { return s.claimed; });
    group.median_observed = median_of(from.samples, [](const time_sample& s) { return s.low; });
    from.has_medians = true;
  }
  leave_out(from.samples, typical_ns, slack_per_window_, group);
  from.samples.clear();
}

void time_comparison::finish() {
  for (int kind = 0; kind < window_kinds; ++kind) fold(kind);
}

std::uint64_t time_comparison::compared() const {
  std::uint64_t windows = 0;
  for (const time_group& group : groups_) windows += group.all.windows;
  return windows;
}

std::uint64_t time_comparison::excluded() const {
  std::uint64_t windows = 0;
  for (const time_group& group : groups_) windows += group.all.windows - group.kept.windows;
  return windows;
}

std::uint64_t time_comparison::stretched() const {
  std::uint64_t windows = 0;
  for (const time_group& group : groups_) windows += group.stretched;
  return windows;
}

double time_comparison::claimed() const {
  double sum = 0.0;
  for (const time_group& group : groups_) sum += group.all.claimed;
  return sum;
}

double time_comparison::low() const {
  double sum = 0.0;
  for (const time_group& group : groups_) sum += group.all.low;
  return sum;
}

double time_comparison::high() const {
  double sum = 0.0;
  for (const time_group& group : groups_) sum += group.all.high;
  return sum;
}

int time_comparison::deciding_kind() const {
  int deciding = 0;
  auto worst = time_outcome::empty;
  const auto rank = [](time_outcome o) {
    return o == time_outcome::broken    ? 3
           : o == time_outcome::unclear ? 2
                                        : o == time_outcome::holds;
  };
  for (int kind = 0; kind < window_kinds; ++kind) {
    const auto outcome = groups_[static_cast<std::size_t>(kind)].outcome(slack_per_window_);
    if (rank(outcome) <= rank(worst)) continue;
    worst = outcome;
    deciding = kind;
  }
  return deciding;
}

time_outcome time_comparison::outcome() const {
  return groups_[static_cast<std::size_t>(deciding_kind())].outcome(slack_per_window_);
}

}  // namespace assay::audit
