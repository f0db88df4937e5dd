// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <charconv>

#include <fmt/format.h>

#include "harness/guard/checks.h"
#include "harness/guard/figure.h"
#include "harness/guard/unit_words.h"

namespace assay::guard {
namespace {

struct bucket {
  double bound = 0.0;
  double count = 0.0;
};

// One series of a histogram. What is not there is null.
struct distribution {
  std::vector<bucket> buckets{};  // by bound
  std::string bad_bound{};        // of a bucket, that is no number
  bool has_bad_bound = false;
  const model::exposition_sample* count = nullptr;
  const model::exposition_sample* sum = nullptr;
  std::size_t line = 0;
};

using distribution_map = std::map<std::string, distribution>;

// le="…" taken out of the labels.
std::string without_bound(std::string_view labels, std::string_view& bound) {
  constexpr std::string_view key = "le=\"";
  for (std::size_t at = labels.find(key); at != std::string_view::npos;
       at = labels.find(key, at + 1)) {
    if (at != 0 && labels[at - 1] != ',') continue;
    const std::size_t start = at + key.size();
    const std::size_t end = labels.find('"', start);
    if (end == std::string_view::npos) break;
    bound = labels.substr(start, end - start);
    std::string rest(labels.substr(0, at));
    std::string_view after = labels.substr(end + 1);
    if (rest.empty() && after.starts_with(',')) after.remove_prefix(1);
    if (after.empty() && !rest.empty()) rest.pop_back();
    if (!rest.empty() && rest.back() == ',' && after.starts_with(',')) rest.pop_back();
    return rest + std::string(after);
  }
  return std::string(labels);
}

// NaN where the text is no number.
double bound_of(std::string_view text) {
  double value = 0.0;
  const char* last = text.data() + text.size();
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto read = std::from_chars(text.data(), last, value);
  const bool is_number = read.ec == std::errc() && read.ptr == last && !text.empty();
  return is_number ? value : std::numeric_limits<double>::quiet_NaN();
}

void add_bucket(const model::exposition_sample& sample, distribution_map& all) {
  std::string_view bound;
  distribution& of = all[without_bound(sample.labels, bound)];
  if (of.line == 0) of.line = sample.line;
  const double at = bound_of(bound);
  if (std::isnan(at)) {
    of.has_bad_bound = true;
    of.bad_bound = bound;
  } else {
    of.buckets.push_back({at, sample.value});
  }
}

distribution_map distributions(const series_index& in, const model::promised_metric& metric) {
  const bool is_of_now = metric.kind == model::metric_kind::gauge_histogram;
  distribution_map all;
  for (const auto* sample : in.samples(metric.name + "_bucket")) add_bucket(*sample, all);
  for (const auto* sample : in.samples(metric.name + (is_of_now ? "_gsum" : "_sum")))
    all[sample->labels].sum = sample;
  for (const auto* sample : in.samples(metric.name + (is_of_now ? "_gcount" : "_count")))
    all[sample->labels].count = sample;
  for (auto& [labels, of] : all) {
    std::sort(of.buckets.begin(), of.buckets.end(),
              [](const bucket& a, const bucket& b) { return a.bound < b.bound; });
    if (of.line == 0) of.line = (of.count != nullptr ? of.count : of.sum)->line;
  }
  return all;
}

// The least and the most that the observations of the buckets can come to. One that is under way
// may stand in its bucket and not in the sum yet, or the reverse.
struct sum_range {
  double least = 0.0;
  double most = 0.0;
};

sum_range sum_range_of(const std::vector<bucket>& buckets, bool is_amount) {
  constexpr double none = std::numeric_limits<double>::infinity();
  sum_range range;
  double low = is_amount && buckets.front().bound >= 0 ? 0.0 : -none;
  double before = 0.0;
  double slack_low = 0.0;
  double slack_high = 0.0;
  for (const bucket& each : buckets) {
    if (const double n = each.count - before; n > 0) {
      range.least += n * low;
      range.most += n * each.bound;
      slack_low = std::isfinite(low) ? std::abs(low) : 0.0;
      slack_high = std::abs(each.bound);
    }
    before = each.count;
    low = each.bound;
  }
  constexpr double rounding = 1e-6;
  range.least -= slack_low + rounding * std::abs(range.least);
  range.most += slack_high + rounding * std::abs(range.most);
  return range;
}

std::string fault_of_sum(const std::vector<bucket>& buckets, double sum, bool is_amount) {
  const sum_range range = sum_range_of(buckets, is_amount);
  if (!(sum < range.least) && !(sum > range.most)) return {};
  return fmt::format(
      "its _sum is {}, and what its buckets hold comes to {} at least and {} at most", figure(sum),
      figure(range.least), figure(range.most));
}

std::string fault_of_buckets(const distribution& of) {
  if (of.has_bad_bound)
    return fmt::format("a bucket has the bound '{}', which is no number", of.bad_bound);
  if (of.buckets.empty()) return "it has no buckets";
  for (const bucket& each : of.buckets)
    if (!(each.count >= 0) || std::isinf(each.count))
      return fmt::format("up to {} it counts {}", figure(each.bound), figure(each.count));
  for (std::size_t at = 1; at < of.buckets.size(); ++at) {
    const bucket& before = of.buckets[at - 1];
    const bucket& now = of.buckets[at];
    if (now.bound == before.bound)
      return fmt::format("its bucket up to {} is there twice", figure(now.bound));
    if (now.count < before.count)
      return fmt::format("up to {} it counts {}, and up to {} only {}", figure(before.bound),
                         figure(before.count), figure(now.bound), figure(now.count));
  }
  return std::isinf(of.buckets.back().bound) ? std::string() : "it has no bucket for +Inf";
}

// What is wrong with one distribution; empty where nothing is.
std::string fault_of(const distribution& of, const model::promised_metric& metric) {
  if (std::string fault = fault_of_buckets(of); !fault.empty()) return fault;
  const bool is_of_now = metric.kind == model::metric_kind::gauge_histogram;
  if (!is_of_now && (of.count == nullptr || of.sum == nullptr))
    return "it has no _count, or no _sum";
  const double last = of.buckets.back().count;
  if (of.count != nullptr && of.count->value != last)
    return fmt::format("its _count is {} and its last bucket {}", figure(of.count->value),
                       figure(last));
  if (of.sum == nullptr) return {};
  // Requests may all be empty; no time is 0.
  const bool is_time = is_same_dimension(metric.unit, "seconds");
  if (last > 0 && of.sum->value == 0 && !is_of_now && is_time)
    return fmt::format("{} observations come to 0: what is observed was never measured",
                       figure(last));
  return fault_of_sum(of.buckets, of.sum->value, is_amount(metric.unit));
}

// What came between two snapshots, where both are sound and neither its count fell, of which the
// check of kinds speaks, nor its bounds are others.
std::string fault_between(const distribution& before, const distribution& now, bool is_amount) {
  if (before.count->value > now.count->value || before.buckets.size() != now.buckets.size())
    return {};
  std::vector<bucket> came;
  for (std::size_t at = 0; at < now.buckets.size(); ++at) {
    const bucket& old = before.buckets[at];
    const bucket& each = now.buckets[at];
    if (old.bound != each.bound) return {};
    if (each.count < old.count)
      return fmt::format("its bucket up to {} fell from {} to {}", figure(each.bound),
                         figure(old.count), figure(each.count));
    came.push_back({each.bound, each.count - old.count});
  }
  const double sum = now.sum->value - before.sum->value;
  const bool can_fall = !is_amount || now.buckets.front().bound < 0;
  const figure_pair fell = figures(before.sum->value, now.sum->value);
  if (sum < 0 && !can_fall) return fmt::format("its _sum fell from {} to {}", fell.one, fell.other);
  for (std::size_t at = 1; at < came.size(); ++at)
    if (came[at].count < came[at - 1].count) return {};
  const std::string fault = fault_of_sum(came, sum, is_amount);
  return fault.empty() ? fault : "of what came since the snapshot before, " + fault;
}

class histogram_judge {
 public:
  histogram_judge(const model::promised_metric& metric, check_log& log)
      : metric_(metric), log_(log) {}

  void look_at(const series_index& in, bool is_begun_anew) {
    distribution_map now = distributions(in, metric_);
    for (const auto& [labels, each] : now) {
      log_.looked();
      std::string fault = fault_of(each, metric_);
      const auto old = before_.find(labels);
      const bool has_window = fault.empty() && !is_begun_anew && old != before_.end() &&
                              metric_.kind == model::metric_kind::histogram;
      std::string_view rule = "R13";
      if (has_window && fault_of(old->second, metric_).empty()) {
        fault = fault_between(old->second, each, is_amount(metric_.unit));
        rule = "R16";
      }
      if (!fault.empty())
        log_.find_first(model::severity::error, rule, metric_.name,
                        fmt::format("{}: {}", metric_.name, fault),
                        place_of(in.from().source, each.line));
    }
    before_ = std::move(now);
  }

 private:
  const model::promised_metric& metric_;
  check_log& log_;
  distribution_map before_;  // points into the snapshot before
};

}  // namespace

void check_histogram(const subject& of, check_log& log) {
  if (of.snapshots.empty()) return log.absent("no metrics were given");
  for (const auto& metric : of.contract->metrics) {
    const bool has_buckets = metric.kind == model::metric_kind::histogram ||
                             metric.kind == model::metric_kind::gauge_histogram;
    if (!has_buckets) continue;
    histogram_judge judge(metric, log);
    for (std::size_t at = 0; at < of.snapshots.size(); ++at)
      judge.look_at(of.snapshots[at],
                    at > 0 && is_restarted(of.snapshots[at - 1], of.snapshots[at]));
  }
}

}  // namespace assay::guard
