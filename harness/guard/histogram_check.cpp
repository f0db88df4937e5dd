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

namespace assay::guard {
namespace {

using model::severity;

struct bucket {
  double bound = 0.0;
  double count = 0.0;
};

struct distribution {
  std::vector<bucket> buckets;
  std::size_t line = 0;
};

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

double bound_of(std::string_view text) {
  if (text == "+Inf" || text == "Inf") return std::numeric_limits<double>::infinity();
  double value = std::numeric_limits<double>::quiet_NaN();
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

std::map<std::string, distribution> distributions(const series_index& in, const std::string& name) {
  std::map<std::string, distribution> all;
  for (const auto* sample : in.samples(name + "_bucket")) {
    std::string_view bound;
    distribution& of = all[without_bound(sample->labels, bound)];
    of.buckets.push_back({bound_of(bound), sample->value});
    if (of.line == 0) of.line = sample->line;
  }
  for (auto& [labels, of] : all)
    std::sort(of.buckets.begin(), of.buckets.end(),
              [](const bucket& a, const bucket& b) { return a.bound < b.bound; });
  return all;
}

const model::exposition_sample* with_labels(const series_index::sample_list& samples,
                                            const std::string& labels) {
  for (const auto* sample : samples)
    if (sample->labels == labels) return sample;
  return nullptr;
}

// What is wrong with one distribution; empty where nothing is.
std::string fault_of(const distribution& of, const model::exposition_sample* count,
                     const model::exposition_sample* sum) {
  for (std::size_t at = 1; at < of.buckets.size(); ++at)
    if (of.buckets[at].count < of.buckets[at - 1].count)
      return fmt::format("up to {} it counts {}, and up to {} only {}", of.buckets[at - 1].bound,
                         of.buckets[at - 1].count, of.buckets[at].bound, of.buckets[at].count);
  const bucket& last = of.buckets.back();
  if (!std::isinf(last.bound)) return "it has no bucket for +Inf";
  if (count == nullptr || sum == nullptr) return "it has no _count, or no _sum";
  if (count->value != last.count)
    return fmt::format("its _count is {} and its last bucket {}", count->value, last.count);
  if (count->value > 0 && sum->value == 0)
    return fmt::format("{} observations come to 0: what is observed was never measured",
                       count->value);
  return {};
}

}  // namespace

void check_histogram(const subject& of, check_log& log) {
  if (of.snapshots.empty()) return log.absent("no metrics were given");
  for (const auto& metric : of.contract->metrics) {
    if (metric.kind != model::metric_kind::histogram) continue;
    const series_index& in = of.snapshots.back();
    for (const auto& [labels, each] : distributions(in, metric.name)) {
      log.looked();
      const std::string fault =
          fault_of(each, with_labels(in.samples(metric.name + "_count"), labels),
                   with_labels(in.samples(metric.name + "_sum"), labels));
      if (fault.empty()) continue;
      log.find(severity::error, "R13", metric.name, fmt::format("{}: {}", metric.name, fault),
               place_of(in.from().source, each.line));
    }
  }
}

}  // namespace assay::guard
