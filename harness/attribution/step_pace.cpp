// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/attribution/step_pace.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "harness/compare/median.h"

namespace assay::attribution {
namespace {

constexpr std::size_t steps_max = 2000;     // more make a median no steadier than runs are
constexpr double long_enough_ratio = 0.05;  // of all launches: shorter ones are mostly overhead
constexpr double least_pace_apart = 1e-3;   // nearer ones have slopes of noise alone
// A launch that does not follow the others at all, as one that runs on a single thread does not.
constexpr double slope_least = -1.0;
// From here to 0 a launch follows. Fitted to few runs, a small slope takes their scatter away and
// none of what lies between the sides.
constexpr double slope_following = -0.5;

double log_of(std::int64_t ns) {
  return std::log(static_cast<double>(std::max<std::int64_t>(ns, 1)));
}

// Median over every k-th step, in place.
float middle_of(std::vector<float>& values) {
  const auto half = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), half, values.end());
  if (values.size() % 2 == 1) return *half;
  return 0.5F * (*half + *std::max_element(values.begin(), half));
}

// By how much more than the others a launch follows a pace: one that runs on a single thread gains
// nothing where the others got a second core. The median of the slopes between runs of one side,
// each weighted by how far their paces are apart (Theil and Sen): a difference between the sides is
// in none of them.
double slope_of(const std::vector<double>& own, const std::vector<double>& pace,
                std::size_t firsts) {
  std::vector<std::pair<double, double>> slopes;  // and their weights
  double all = 0.0;
  for (std::size_t one = 0; one < pace.size(); ++one)
    for (std::size_t other = one + 1; other < pace.size(); ++other) {
      const double apart = pace[other] - pace[one];
      if ((one < firsts) != (other < firsts) || std::abs(apart) < least_pace_apart) continue;
      slopes.emplace_back((own[other] - own[one]) / apart, std::abs(apart));
      all += std::abs(apart);
    }
  std::sort(slopes.begin(), slopes.end());
  double below = 0.0;
  for (const auto& [slope, weight] : slopes)
    if ((below += weight) >= all / 2.0)
      return slope > slope_following ? 0.0 : std::max(slope, slope_least);
  return 0.0;
}

}  // namespace

step_pace::step_pace(const std::vector<launch_times>& launches, std::size_t firsts)
    : firsts_(firsts) {
  for (const launch_times& each : launches) {
    auto& of = logs_.emplace_back();
    std::vector<double> middles;
    for (const std::vector<std::int64_t>& run : each) {
      const std::size_t apart = (run.size() + steps_max - 1) / steps_max;
      auto& steps = of.emplace_back();
      for (std::size_t at = 0; at < run.size(); at += apart)
        steps.push_back(static_cast<float>(log_of(run[at])));
      std::vector<float> sorted = steps;
      middles.push_back(middle_of(sorted));
    }
    usual_.push_back(compare::median_of(std::move(middles)));
    for (auto& run : of)
      for (float& step : run) step -= static_cast<float>(usual_.back());
  }
}

std::vector<std::size_t> step_pace::paced_by(std::size_t launch,
                                             const std::vector<bool>& has_moved) const {
  std::vector<std::size_t> longest_first(usual_.size());
  std::iota(longest_first.begin(), longest_first.end(), std::size_t{0});
  std::stable_sort(longest_first.begin(), longest_first.end(),
                   [&](std::size_t a, std::size_t b) { return usual_[a] > usual_[b]; });
  const double all = std::accumulate(usual_.begin(), usual_.end(), 0.0,
                                     [](double sum, double each) { return sum + std::exp(each); });
  std::vector<std::size_t> out;
  for (const std::size_t each : longest_first)
    if (each != launch && !has_moved[each] &&
        (out.size() < paced_by_min || std::exp(usual_[each]) >= long_enough_ratio * all))
      out.push_back(each);
  return out;
}

std::vector<std::int64_t> step_pace::numbers(std::size_t launch,
                                             const std::vector<bool>& has_moved) const {
  const std::vector<std::size_t> others = paced_by(launch, has_moved);
  std::vector<double> own;
  std::vector<double> pace;
  for (std::size_t run = 0; run < logs_[launch].size(); ++run) {
    std::vector<float> at_pace;
    std::vector<float> paces;
    std::vector<float> among(others.size());
    for (std::size_t step = 0; step < logs_[launch][run].size(); ++step) {
      for (std::size_t at = 0; at < others.size(); ++at) among[at] = logs_[others[at]][run][step];
      paces.push_back(middle_of(among));
      at_pace.push_back(logs_[launch][run][step] - paces.back());
    }
    own.push_back(middle_of(at_pace));
    pace.push_back(middle_of(paces));
  }
  const double slope = slope_of(own, pace, firsts_);
  const double usual_pace = compare::median_of(pace);
  std::vector<std::int64_t> out;
  for (std::size_t run = 0; run < own.size(); ++run)
    out.push_back(
        std::llround(std::exp(usual_[launch] + own[run] - slope * (pace[run] - usual_pace))));
  return out;
}

}  // namespace assay::attribution
