// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/guard/contradictions.h"

#include <algorithm>
#include <unordered_map>

#include <fmt/format.h>

#include "harness/guard/figure.h"
#include "harness/guard/guard.h"
#include "harness/guard/pattern.h"
#include "harness/guard/sample_names.h"
#include "harness/guard/unit_words.h"

namespace assay::guard {
namespace {

using model::metric_kind;

// Where in the contract a part of it stands, for a reader who has one line before him, too.
template <class Part>
std::string path_of(const char* key, const std::vector<Part>& all, const Part& one) {
  return fmt::format("$.{}[{}]", key, &one - all.data());
}

class contract_judge {
 public:
  explicit contract_judge(const model::guard_contract& contract) : contract_(contract) {}

  std::vector<contradiction> run() {
    for (const auto& metric : contract_.metrics) {
      at_ = path_of(metric);
      const auto [first, is_new] = known_.try_emplace(metric.name, &metric);
      if (!is_new)
        say(metric.line,
            fmt::format("promises {}, which {} promises", metric.name, place_of(*first->second)));
      look_at(metric);
    }
    for (const auto& metric : contract_.metrics) look_at_parts(metric);
    for (const auto& balance : contract_.balances) {
      at_ = guard::path_of("balances", contract_.balances, balance);
      look_at(balance.left, balance.line, balance.name);
      look_at(balance.right, balance.line, balance.name);
    }
    for (const auto& ratio : contract_.ratios) {
      at_ = guard::path_of("ratios", contract_.ratios, ratio);
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
  void say(std::size_t line, std::string what) { found_.push_back({line, at_, std::move(what)}); }

  std::string path_of(const model::promised_metric& metric) const {
    return guard::path_of("metrics", contract_.metrics, metric);
  }
  std::string place_of(const model::promised_metric& metric) const {
    return contradiction{metric.line, path_of(metric), {}}.where();
  }

  // A histogram has the names of its parts for itself: nobody could tell the two apart.
  void look_at_parts(const model::promised_metric& metric) {
    if (!is_several(metric.kind)) return;
    for (const std::string_view suffix : suffixes_of(metric.kind)) {
      const auto other = known_.find(metric.name + std::string(suffix));
      if (other == known_.end()) continue;
      at_ = path_of(*other->second);
      say(other->second->line,
          fmt::format("promises {}, which the {} {} of {} publishes", other->second->name,
                      to_string(metric.kind), metric.name, place_of(metric)));
    }
  }

  void look_at(const model::promised_metric& metric) {
    if (!is_known_unit(metric.unit))
      say(metric.line, fmt::format("gives {} the unit '{}', which is none that is known",
                                   metric.name, metric.unit));
    if (metric.least && metric.most && *metric.least > *metric.most)
      say(metric.line, fmt::format("leaves {} no value: least {} is above most {}", metric.name,
                                   figure(*metric.least), figure(*metric.most)));
    const bool is_share = metric.unit == "ratio" || metric.unit == "percent";
    const bool is_rate = metric.unit.ends_with("_per_second");
    if (metric.kind == metric_kind::counter && (is_share || is_rate))
      say(metric.line,
          fmt::format("makes {} a counter in {}, which does not add up", metric.name, metric.unit));
    if (metric.kind == metric_kind::counter && metric.least && *metric.least < 0)
      say(metric.line,
          fmt::format("lets the counter {} be {}, below 0", metric.name, figure(*metric.least)));
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
    for (const auto& each : contract_.ignored) {
      at_ = guard::path_of("ignored", contract_.ignored, each);
      for (const auto& metric : contract_.metrics)
        if (fits(each.pattern, metric.name))
          say(each.line,
              fmt::format("ignores {}, which {} promises", metric.name, place_of(metric)));
    }
  }

  // What an input is cannot be known beforehand, and a word that no check has would excuse nothing.
  void look_at_known() {
    const auto all = checks();
    for (const auto& each : contract_.known) {
      at_ = guard::path_of("known", contract_.known, each);
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
      at_ = guard::path_of("allowed_variables", contract_.allowed_variables, each);
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
  std::string at_;  // the part that is looked at
  std::vector<contradiction> found_;
};

}  // namespace

std::string contradiction::where() const {
  return fmt::format("line {}, {}", line, path);
}

std::vector<contradiction> contradictions(const model::guard_contract& contract) {
  return contract_judge(contract).run();
}

}  // namespace assay::guard
