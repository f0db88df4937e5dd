// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/ingest/guard_contract_json.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <utility>

#include <fmt/format.h>

#include "harness/ingest/balance_text.h"
#include "harness/ingest/complaint.h"
#include "harness/ingest/file_text.h"
#include "harness/ingest/json_lines.h"
#include "harness/ingest/json_text.h"

namespace assay::ingest {
namespace {

using nlohmann::json;

constexpr std::string_view format_name = "assay.guard-contract";
constexpr std::int64_t newest_version = 1;
constexpr std::string_view contract_wanted =
    "give a contract (docs/schema/guard-contract.schema.json), or start one with --init";

constexpr std::array kinds{
    model::metric_kind::unknown,   model::metric_kind::counter,         model::metric_kind::gauge,
    model::metric_kind::histogram, model::metric_kind::gauge_histogram, model::metric_kind::summary,
    model::metric_kind::info};

// An object of the file that knows where it stands.
class place {
 public:
  place(const json& value, std::string path, std::string_view file, const json_lines& lines)
      : value_(&value), path_(std::move(path)), file_(file), lines_(&lines) {}

  std::size_t line() const { return lines_->line_of(path_); }

  failure refuse(const std::string& key, std::string_view reason) const {
    const std::string path = key.empty() ? path_ : path_ + "." + key;
    return refused(file_, fmt::format("line {}, {}", lines_->line_of(path), path), reason,
                   "see docs/schema/guard-contract.schema.json");
  }

  result<void> has_only(std::initializer_list<std::string_view> keys) const {
    if (!value_->is_object()) return refuse("", "is no object");
    for (const auto& [key, value] : value_->items())
      if (std::find(keys.begin(), keys.end(), key) == keys.end())
        return refuse(key, "is no key that a contract has here");
    return {};
  }

  result<std::string> text(const char* key, bool is_needed) const {
    if (!value_->contains(key))
      return is_needed ? result<std::string>(refuse(key, "is missing")) : std::string();
    if (!(*value_)[key].is_string()) return refuse(key, "is no text");
    auto found = (*value_)[key].get<std::string>();
    if (found.empty()) return refuse(key, "is empty");
    return found;
  }

  result<bool> truth(const char* key) const {
    if (!value_->contains(key)) return false;
    if (!(*value_)[key].is_boolean()) return refuse(key, "is neither true nor false");
    return (*value_)[key].get<bool>();
  }

  result<std::optional<double>> number(const char* key) const {
    if (!value_->contains(key)) return std::optional<double>();
    const json& found = (*value_)[key];
    if (!found.is_number() || !std::isfinite(found.get<double>()))
      return refuse(key, "is no number");
    return std::optional<double>(found.get<double>());
  }

  result<std::vector<place>> list(const char* key) const {
    std::vector<place> all;
    if (!value_->contains(key)) return all;
    const json& found = (*value_)[key];
    if (!found.is_array()) return refuse(key, "is no list");
    for (std::size_t at = 0; at < found.size(); ++at)
      all.emplace_back(found[at], fmt::format("{}.{}[{}]", path_, key, at), file_, *lines_);
    return all;
  }

  result<std::vector<std::string>> texts(const char* key) const {
    ASSAY_TRY_ASSIGN(const auto all, list(key));
    std::vector<std::string> words;
    for (const place& each : all) {
      if (!each.value_->is_string() || each.value_->get_ref<const std::string&>().empty())
        return each.refuse("", "is no text");
      words.push_back(each.value_->get<std::string>());
    }
    return words;
  }

 private:
  const json* value_;
  std::string path_;
  std::string_view file_;
  const json_lines* lines_;
};

result<model::promised_metric> metric_at(const place& at) {
  ASSAY_TRY(
      at.has_only({"name", "kind", "unit", "least", "most", "optional", "exercised", "reason"}));
  model::promised_metric made;
  made.line = at.line();
  ASSAY_TRY_ASSIGN(made.name, at.text("name", true));
  ASSAY_TRY_ASSIGN(const std::string kind, at.text("kind", true));
  const auto found = std::find_if(kinds.begin(), kinds.end(),
                                  [&](model::metric_kind k) { return to_string(k) == kind; });
  if (found == kinds.end())
    return at.refuse(
        "kind", "is none of counter, gauge, histogram, gaugehistogram, summary, info, unknown");
  made.kind = *found;
  ASSAY_TRY_ASSIGN(made.unit, at.text("unit", true));
  ASSAY_TRY_ASSIGN(made.least, at.number("least"));
  ASSAY_TRY_ASSIGN(made.most, at.number("most"));
  ASSAY_TRY_ASSIGN(made.is_optional, at.truth("optional"));
  ASSAY_TRY_ASSIGN(made.is_exercised, at.truth("exercised"));
  ASSAY_TRY_ASSIGN(made.reason, at.text("reason", made.is_optional));
  return made;
}

result<double> tolerance_at(const place& at, double otherwise) {
  ASSAY_TRY_ASSIGN(const auto tolerance, at.number("tolerance_ratio"));
  if (tolerance && (*tolerance < 0 || *tolerance >= 1))
    return at.refuse("tolerance_ratio", "is not from 0 to below 1");
  return tolerance.value_or(otherwise);
}

result<model::promised_balance> balance_at(const place& at) {
  ASSAY_TRY(at.has_only({"name", "equation", "tolerance_ratio"}));
  model::promised_balance made;
  made.line = at.line();
  ASSAY_TRY_ASSIGN(made.name, at.text("name", true));
  ASSAY_TRY_ASSIGN(const std::string text, at.text("equation", true));
  ASSAY_TRY_ASSIGN(made.tolerance_ratio, tolerance_at(at, 0.0));
  if (const auto read = parse_balance(text, made); !read)
    return at.refuse("equation", read.error().what);
  return made;
}

result<std::vector<model::balance_term>> sum_at(const place& at, const char* key) {
  ASSAY_TRY_ASSIGN(const std::string text, at.text(key, true));
  auto sum = parse_sum(text);
  if (!sum) return at.refuse(key, sum.error().what);
  return std::move(*sum);
}

result<model::promised_ratio> ratio_at(const place& at) {
  ASSAY_TRY(at.has_only({"name", "ratio", "part", "whole", "factor", "tolerance_ratio", "over"}));
  model::promised_ratio made;
  made.line = at.line();
  ASSAY_TRY_ASSIGN(made.name, at.text("name", true));
  ASSAY_TRY_ASSIGN(auto ratio, sum_at(at, "ratio"));
  if (ratio.size() != 1 || ratio.front().is_negative)
    return at.refuse("ratio", "is no single metric");
  made.ratio = std::move(ratio.front());
  ASSAY_TRY_ASSIGN(made.part, sum_at(at, "part"));
  ASSAY_TRY_ASSIGN(made.whole, sum_at(at, "whole"));
  ASSAY_TRY_ASSIGN(const auto factor, at.number("factor"));
  if (factor && *factor <= 0) return at.refuse("factor", "is not above 0");
  made.factor = factor.value_or(1.0);
  ASSAY_TRY_ASSIGN(made.tolerance_ratio, tolerance_at(at, 0.01));
  ASSAY_TRY_ASSIGN(const std::string over, at.text("over", false));
  if (!over.empty() && over != "start" && over != "last")
    return at.refuse("over", "is neither start nor last");
  made.is_since_last = over == "last";
  return made;
}

result<std::vector<model::allowance>> allowances_at(const place& root, const char* key) {
  ASSAY_TRY_ASSIGN(const auto list, root.list(key));
  std::vector<model::allowance> all;
  for (const place& each : list) {
    ASSAY_TRY(each.has_only({"name", "reason"}));
    model::allowance made;
    made.line = each.line();
    ASSAY_TRY_ASSIGN(made.pattern, each.text("name", true));
    ASSAY_TRY_ASSIGN(made.reason, each.text("reason", true));
    all.push_back(std::move(made));
  }
  return all;
}

result<model::known_finding> known_at(const place& at) {
  ASSAY_TRY(at.has_only({"check", "name", "reason"}));
  model::known_finding made;
  made.line = at.line();
  ASSAY_TRY_ASSIGN(made.check, at.text("check", true));
  ASSAY_TRY_ASSIGN(made.name, at.text("name", true));
  ASSAY_TRY_ASSIGN(made.reason, at.text("reason", true));
  return made;
}

result<void> check_version(const place& root) {
  ASSAY_TRY_ASSIGN(const std::string format, root.text("format", true));
  if (format != format_name) return root.refuse("format", "is not assay.guard-contract");
  ASSAY_TRY_ASSIGN(const auto version, root.number("version"));
  if (!version || *version != newest_version) return root.refuse("version", "is not 1");
  return {};
}

template <class Part>
result<std::vector<Part>> parts_at(const place& root, const char* key,
                                   result<Part> (*part_at)(const place&)) {
  ASSAY_TRY_ASSIGN(const auto list, root.list(key));
  std::vector<Part> all;
  for (const place& each : list) {
    ASSAY_TRY_ASSIGN(auto made, part_at(each));
    all.push_back(std::move(made));
  }
  return all;
}

}  // namespace

result<model::guard_contract> parse_guard_contract(std::string_view text, std::string_view file) {
  ASSAY_TRY_ASSIGN(const json tree, parse_json(text, file, contract_wanted));
  const json_lines lines(text);
  const place root(tree, "$", file, lines);
  if (lines.twice())
    return refused(file, fmt::format("line {}, {}", lines.line_of(*lines.twice()), *lines.twice()),
                   "is there twice", "leave one of the two");
  ASSAY_TRY(root.has_only({"format", "version", "metrics", "balances", "ratios", "ignored",
                           "metric_prefixes", "variable_prefixes", "allowed_variables", "known"}));
  ASSAY_TRY(check_version(root));
  model::guard_contract made;
  made.source = file;
  ASSAY_TRY_ASSIGN(made.metrics, parts_at(root, "metrics", metric_at));
  ASSAY_TRY_ASSIGN(made.balances, parts_at(root, "balances", balance_at));
  ASSAY_TRY_ASSIGN(made.ratios, parts_at(root, "ratios", ratio_at));
  ASSAY_TRY_ASSIGN(made.ignored, allowances_at(root, "ignored"));
  ASSAY_TRY_ASSIGN(made.metric_prefixes, root.texts("metric_prefixes"));
  ASSAY_TRY_ASSIGN(made.variable_prefixes, root.texts("variable_prefixes"));
  ASSAY_TRY_ASSIGN(made.allowed_variables, allowances_at(root, "allowed_variables"));
  ASSAY_TRY_ASSIGN(made.known, parts_at(root, "known", known_at));
  if (made.metrics.empty() && made.variable_prefixes.empty())
    return root.refuse("", "promises nothing: it has neither metrics nor variable_prefixes");
  return made;
}

result<model::guard_contract> read_guard_contract(const std::string& path) {
  ASSAY_TRY_ASSIGN(const file_text text, file_text::open(path, contract_wanted));
  return parse_guard_contract(text.view(), path);
}

}  // namespace assay::ingest
