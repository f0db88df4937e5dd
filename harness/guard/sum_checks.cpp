// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Metrics against one another: equations that must balance, ratios that can be computed anew.
#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "harness/guard/checks.h"
#include "harness/guard/figure.h"

namespace assay::guard {
namespace {

using model::severity;

bool holds(const model::promised_balance& balance, double left, double right) {
  const double slack = balance.tolerance_ratio * std::max(std::abs(left), std::abs(right));
  if (balance.relation == model::balance_relation::at_most) return left <= right + slack;
  return std::abs(left - right) <= slack;
}

void look_at(const model::promised_balance& balance, const series_index& in,
             std::string_view contract, check_log& log) {
  std::string_view missing;
  const auto left = value_of(balance.left, in, missing);
  const auto right = left ? value_of(balance.right, in, missing) : std::nullopt;
  if (!left || !right)
    return log.cannot_judge(
        place_of(contract, balance.line),
        fmt::format("'{}' in {}: {} has no finite value", balance.name, in.from().source, missing));
  log.looked();
  if (holds(balance, *left, *right)) return;
  const figure_pair sides = figures(*left, *right);
  log.find_first(severity::error, "R07", balance.name,
                 fmt::format("{}: {} against {}, {} apart", balance.text, sides.one, sides.other,
                             figure(std::abs(*left - *right))),
                 place_of(in.from().source, line_of(balance.left.front(), in)));
}

struct share {
  double part;
  double whole;
};

std::optional<share> share_of(const model::promised_ratio& ratio, const series_index& in,
                              std::string_view& missing) {
  const auto part = value_of(ratio.part, in, missing);
  const auto whole = part ? value_of(ratio.whole, in, missing) : std::nullopt;
  if (!part || !whole) return std::nullopt;
  return share{*part, *whole};
}

class ratio_judge {
 public:
  ratio_judge(const model::promised_ratio& ratio, std::string_view contract, check_log& log)
      : ratio_(ratio), contract_(contract), log_(log) {}

  void look_at(const series_index* before, const series_index& now) {
    std::string_view missing;
    auto counted = share_of(ratio_, now, missing);
    if (counted && before != nullptr) {
      const auto old = share_of(ratio_, *before, missing);
      counted = old ? std::optional<share>({counted->part - old->part, counted->whole - old->whole})
                    : std::nullopt;
    }
    if (!counted) return cannot(now, fmt::format("{} has no finite value", missing));
    const auto published = value_of(ratio_.ratio, now);
    if (counted->whole == 0) return look_at_nothing(published, now);
    if (!published) return cannot(now, fmt::format("{} is not published", ratio_.ratio.metric));
    judge(*counted, *published, now);
  }

 private:
  void cannot(const series_index& in, const std::string& why) {
    log_.cannot_judge(place_of(contract_, ratio_.line),
                      fmt::format("'{}' in {}: {}", ratio_.name, in.from().source, why));
  }

  std::string where(const series_index& in) const {
    return place_of(in.from().source, line_of(ratio_.ratio, in));
  }

  // Nothing was counted, so there is no ratio; a 0 in its place reads as a bad one.
  void look_at_nothing(const std::optional<double>& published, const series_index& in) {
    log_.looked();
    if (!published) return;
    log_.find_first(
        severity::warning, "R08", ratio_.ratio.metric,
        fmt::format("{} is {} while nothing was counted: there is no ratio, and absent would "
                    "say so",
                    ratio_.ratio.metric, figure(*published)),
        where(in));
  }

  void judge(const share& counted, double published, const series_index& in) {
    log_.looked();
    const double again = ratio_.factor * counted.part / counted.whole;
    const double slack = ratio_.tolerance_ratio * std::max(std::abs(again), std::abs(published));
    if (std::abs(again - published) <= slack) return;
    const figure_pair told = figures(published, again);
    log_.find_first(severity::error, "R24", ratio_.ratio.metric,
                    fmt::format("{} is {}, and {} / {} gives {}", ratio_.ratio.metric, told.one,
                                figure(counted.part), figure(counted.whole), told.other),
                    where(in));
  }

  const model::promised_ratio& ratio_;
  std::string_view contract_;
  check_log& log_;
};

}  // namespace

void check_balance(const subject& of, check_log& log) {
  if (of.snapshots.empty()) return log.absent("no metrics were given");
  for (const auto& balance : of.contract->balances)
    for (const auto& snapshot : of.snapshots) look_at(balance, snapshot, of.contract->source, log);
}

void check_ratio(const subject& of, check_log& log) {
  if (of.snapshots.empty()) return log.absent("no metrics were given");
  for (const auto& ratio : of.contract->ratios) {
    ratio_judge judge(ratio, of.contract->source, log);
    if (!ratio.is_since_last) {
      for (const auto& snapshot : of.snapshots) judge.look_at(nullptr, snapshot);
      continue;
    }
    if (of.snapshots.size() == 1)
      log.cannot_judge(place_of(of.contract->source, ratio.line),
                       fmt::format("'{}': there is one snapshot, and it is of what came since the "
                                   "last",
                                   ratio.name));
    for (std::size_t at = 1; at < of.snapshots.size(); ++at)
      judge.look_at(&of.snapshots[at - 1], of.snapshots[at]);
  }
}

}  // namespace assay::guard
