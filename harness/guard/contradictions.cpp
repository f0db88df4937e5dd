// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/guard/contradictions.h"

#include <algorithm>
#include <unordered_map>

#include <fmt/format.h>

#include "harness/guard/guard.h"
#include "harness/guard/pattern.h"
#include "harness/guard/sample_names.h"
#include "harness/guard/unit_words.h"

namespace assay::guard {
namespace {

using model::metric_kind;

class contract_judge {
 public:
  explicit contract_judge(const model::guard_contract& contract) : contract_(contract) {}

  std::vector<contradiction> run() {
    for (const auto& metric : contract_.metrics) {
      const auto [first, is_new] = known_.try_emplace(metric.name, &metric);
      if (!is_new)
        say(metric.line,
            fmt::format("promises {}, which line {} promises", metric.name, first->second->line));
      look_at(metric);
    }
    for (const auto& balance : contract_.balances) {
      look_at(balance.left, balance.line, balance.name);
      look_at(balance.right, balance.line, balance.name);
    }
    for (const auto& ratio : contract_.ratios) {
      look_at({ratio.ratio}, ratio.line, ratio.name);
      look_at(ratio.part, ratio.line, ratio.name);
      look_at(ratio.whole, ratio.line, ratio.name);
    }
    look_at_ignored();
    look_at_variables();
    look_at_known();
    std::stable_sort(found_.begin(), found_.end(),
                     [](const auto& a, const auto& b) { return a.line < b.line; });
    return std::move(found_);
  }

 private:
  void say(std::size_t line, std::string what) { found_.push_back({line, std::move(what)}); }

  void look_at(const model::promised_metric& metric) {
    if (!is_known_unit(metric.unit))
      say(metric.line, fmt::format("gives {} the unit '{}', which is none that is known",
                                   metric.name, metric.unit));
    if (metric.least && metric.most && *metric.least > *metric.most)
      say(metric.line, fmt::format("leaves {} no value: least {} is above most {}", metric.name,
                                   *metric.least, *metric.most));
    const bool is_share = metric.unit == "ratio" || metric.unit == "percent";
    const bool is_rate = metric.unit.ends_with("_per_second");
    if (metric.kind == metric_kind::counter && (is_share || is_rate))
      say(metric.line,
          fmt::format("makes {} a counter in {}, which does not add up", metric.name, metric.unit));
    if (metric.kind == metric_kind::counter && metric.least && *metric.least < 0)
      say(metric.line,
          fmt::format("lets the counter {} be {}, below 0", metric.name, *metric.least));
    if (metric.kind == metric_kind::info && metric.is_exercised)
      say(metric.line, fmt::format("wants {} to move, which only informs", metric.name));
    if (metric.is_optional && metric.is_exercised)
      say(metric.line,
          fmt::format("lets {} be absent and wants it to move: one of the two", metric.name));
  }

  bool is_promised(std::string_view name) const {
    if (known_.count(name) != 0) return true;
    const auto found = known_.find(without_suffix(name));
    return found != known_.end() && is_several(found->second->kind) &&
           is_published_by(name, found->first, found->second->kind);
  }

  void look_at(const std::vector<model::balance_term>& terms, std::size_t line,
               std::string_view whose) {
    for (const auto& term : terms)
      if (!is_promised(term.metric))
        say(line, fmt::format("'{}' needs {}, which is not promised", whose, term.metric));
  }

  void look_at_ignored() {
    for (const auto& each : contract_.ignored)
      for (const auto& metric : contract_.metrics)
        if (fits(each.pattern, metric.name))
          say(each.line,
              fmt::format("ignores {}, which line {} promises", metric.name, metric.line));
  }

  // What an input is cannot be known beforehand, and a word that no check has would excuse nothing.
  void look_at_known() {
    const auto all = checks();
    for (const auto& each : contract_.known) {
      const bool is_check = std::any_of(all.begin(), all.end(), [&](const check& c) {
        return c.name == each.check && c.name != "input";
      });
      if (!is_check)
        say(each.line, fmt::format("knows a finding of '{}', which is no check that one may know",
                                   each.check));
    }
  }

  void look_at_variables() {
    for (const auto& each : contract_.allowed_variables) {
      const bool is_ours =
          std::any_of(contract_.variable_prefixes.begin(), contract_.variable_prefixes.end(),
                      [&](const std::string& p) { return each.pattern.starts_with(p); });
      if (!is_ours)
        say(each.line,
            fmt::format("allows {}, which begins with none of variable_prefixes", each.pattern));
    }
  }

  const model::guard_contract& contract_;
  std::unordered_map<std::string_view, const model::promised_metric*> known_;
  std::vector<contradiction> found_;
};

}  // namespace

std::vector<contradiction> contradictions(const model::guard_contract& contract) {
  return contract_judge(contract).run();
}

}  // namespace assay::guard
