// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/history/change_points.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <random>
#include <utility>

namespace assay::history {
namespace {

struct division {
  std::size_t at = 0;  // first index of the rear part, from the start of the stretch
  double strength = -1.0;
};

double distance_to_all(std::span<const double> values, double from) {
  double sum = 0.0;
  for (const double value : values) sum += std::fabs(value - from);
  return sum;
}

// Twice the mean distance across, less the mean distances within, weighed by how many there are:
// large where the two parts lie apart, for means as for spreads. Sums follow a value as it moves
// from the rear part to the front.
std::optional<division> best_division(std::span<const double> values, std::size_t least) {
  if (values.size() < 2 * least) return std::nullopt;
  double front = 0.0;
  double across = 0.0;
  double rear = 0.0;
  for (std::size_t i = 0; i < values.size(); ++i)
    rear += distance_to_all(values.subspan(i + 1), values[i]);
  division best;
  for (std::size_t at = 1; at + least <= values.size(); ++at) {
    const double to_front = distance_to_all(values.first(at - 1), values[at - 1]);
    const double to_rear = distance_to_all(values.subspan(at), values[at - 1]);
    front += to_front;
    across += to_rear - to_front;
    rear -= to_rear;
    if (at < least) continue;
    const auto n = static_cast<double>(at);
    const auto m = static_cast<double>(values.size() - at);
    const double within_front = n > 1 ? front / (n * (n - 1) / 2) : 0.0;
    const double within_rear = m > 1 ? rear / (m * (m - 1) / 2) : 0.0;
    const double strength = n * m / (n + m) * (2.0 * across / (n * m) - within_front - within_rear);
    if (strength > best.strength) best = {at, strength};
  }
  return best;
}

// std::shuffle is another on another library.
void shuffle(std::span<double> values, std::mt19937_64& random) {
  for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[random() % i]);
}

// The stretches between the changes found so far, as their first indices and the end.
using bounds = std::vector<std::size_t>;

struct found_division {
  std::size_t at = 0;
  double strength = -1.0;
};

found_division best_of(std::span<const double> values, const bounds& stretches, std::size_t least) {
  found_division best;
  for (std::size_t i = 0; i + 1 < stretches.size(); ++i) {
    const std::size_t begin = stretches[i];
    const auto found = best_division(values.subspan(begin, stretches[i + 1] - begin), least);
    if (found && found->strength > best.strength) best = {begin + found->at, found->strength};
  }
  return best;
}

// Of few values the best division's p is no small one: with as few shuffles as tell a small one it
// would be luck on which side of the significance it falls.
std::uint32_t permutations_of(std::size_t values_count, const change_rules& rules) {
  constexpr std::size_t few = 24;
  constexpr std::uint32_t finer = 20;
  constexpr std::uint32_t most = 200'000;
  if (values_count >= few || rules.permutations >= most) return rules.permutations;
  return std::min(rules.permutations * finer, most);
}

// Goes no further than to know that it is above the significance: most series hold no change.
double p_value_of(double strength, std::span<const double> values, const bounds& stretches,
                  const change_rules& rules, std::mt19937_64& random) {
  std::uint32_t as_strong = 1;  // the series itself is one of its orders
  const std::uint32_t permutations = permutations_of(values.size(), rules);
  const double all = permutations + 1.0;
  std::vector<double> shuffled(values.begin(), values.end());
  for (std::uint32_t i = 0; i < permutations; ++i) {
    for (std::size_t s = 0; s + 1 < stretches.size(); ++s)
      shuffle(std::span(shuffled).subspan(stretches[s], stretches[s + 1] - stretches[s]), random);
    if (best_of(shuffled, stretches, rules.least_points).strength >= strength) ++as_strong;
    if (as_strong / all > rules.significance) break;
  }
  return as_strong / all;
}

double median_of(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  const std::size_t half = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2.0;
}

}  // namespace

change_rules rules_for(std::size_t series_count) {
  change_rules rules;
  rules.significance /= static_cast<double>(std::max<std::size_t>(series_count, 1));
  rules.permutations =
      std::max(rules.permutations,
               static_cast<std::uint32_t>(std::min(std::ceil(1.0 / rules.significance), 1e6)));
  return rules;
}

std::size_t least_values(const change_rules& rules) {
  constexpr std::size_t enough = 1'000;
  std::size_t count = 2 * rules.least_points;
  for (; count < enough; ++count) {
    const double shuffles = permutations_of(count, rules);
    // How many shuffles may divide as well as the series itself does.
    const double most = std::floor(rules.significance * (shuffles + 1.0) + 1e-9) - 1.0;
    const auto n = static_cast<double>(count);
    const double front = std::floor(n / 2);
    const double orders =
        std::exp(std::lgamma(n + 1) - std::lgamma(front + 1) - std::lgamma(n - front + 1));
    // Two of the orders show the step: down as well as up. Their number among the shuffles is
    // Poisson's.
    const double mean = shuffles * 2.0 / orders;
    double term = std::exp(-mean);
    double chance = 0.0;
    for (double i = 0.0; i <= most; term *= mean / ++i) chance += term;
    if (chance >= 0.9) break;
  }
  return count;
}

std::vector<change_point> change_points(std::span<const double> values, const change_rules& rules) {
  std::mt19937_64 random(rules.seed);
  bounds stretches{0, values.size()};
  std::vector<change_point> found;
  for (;;) {
    const found_division best = best_of(values, stretches, rules.least_points);
    if (best.strength <= 0.0) break;  // nothing left to divide, or all values equal
    const double p = p_value_of(best.strength, values, stretches, rules, random);
    if (p > rules.significance) break;
    found.push_back({best.at, 0.0, 0.0, p});
    stretches.insert(std::upper_bound(stretches.begin(), stretches.end(), best.at), best.at);
  }
  std::sort(found.begin(), found.end(),
            [](const change_point& a, const change_point& b) { return a.first < b.first; });
  for (std::size_t i = 0; i < found.size(); ++i) {
    const std::size_t begin = stretches[i];
    const std::size_t end = stretches[i + 2];
    found[i].before = median_of(values.subspan(begin, found[i].first - begin));
    found[i].after = median_of(values.subspan(found[i].first, end - found[i].first));
  }
  return found;
}

}  // namespace assay::history
