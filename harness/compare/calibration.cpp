// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/calibration.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "harness/compare/link_spread.h"
#include "harness/compare/merged_run.h"
#include "harness/compare/paired_rows.h"
#include "harness/compare/row_decision.h"
#include "harness/compare/signed_rank.h"

namespace assay::compare {
namespace {

using json = nlohmann::ordered_json;
using results_by_name = std::map<std::string, results_by_link>;

constexpr int format_version = 1;

std::string fact_of(const run_log& log, std::string_view name) {
  const std::string value = value_of(log.facts, name);
  return value.empty() ? "unknown" : value;
}

// Every value that a fact has in the logs, in order, each once.
std::string values_of(const std::vector<run_log>& logs, std::string_view name) {
  constexpr std::size_t most_values = 4;
  std::vector<std::string> values;
  for (const run_log& log : logs) {
    std::string value = fact_of(log, name);
    if (std::find(values.begin(), values.end(), value) == values.end())
      values.push_back(std::move(value));
  }
  std::string words;
  for (std::size_t i = 0; i < std::min(values.size(), most_values); ++i)
    words += (i == 0 ? "" : "; ") + values[i];
  if (values.size() > most_values)
    words += fmt::format("; and {} more", values.size() - most_values);
  return words;
}

std::vector<model::fact> provenance_of(const std::vector<run_log>& logs) {
  std::vector<model::fact> facts{{"logs", fmt::format("{}", logs.size())}};
  for (const char* name : {"host", "kernel", "base commit", "base binary", "head binary",
                           base_digest_name, head_digest_name, grain_name})
    facts.push_back({name, values_of(logs, name)});
  return facts;
}

std::string family_of(const std::string& name) {
  return name.substr(0, name.find('/'));
}

// A program by what is loaded of it; a script has nothing but its bytes.
std::string link_of(const run_log& log) {
  const std::string code = value_of(log.facts, head_code_name);
  return code.empty() ? value_of(log.facts, head_digest_name) : code;
}

void add_results(const paired_row& row, std::size_t pairs_a_result, std::vector<double>& results) {
  std::vector<value_pair> pairs = row.screen;
  pairs.insert(pairs.end(), row.confirm.begin(), row.confirm.end());
  const std::vector<double> differences = cost_differences(pairs, row.better);
  for (std::size_t start = 0; start + pairs_a_result <= differences.size();
       start += pairs_a_result) {
    const auto from = differences.begin() + static_cast<std::ptrdiff_t>(start);
    const std::vector<double> window(from, from + static_cast<std::ptrdiff_t>(pairs_a_result));
    results.push_back(signed_rank_sample(window).estimate());
  }
}

bool is_measured(const paired_row& row) {
  return row.is_in_base && row.is_in_head && row.base_failure.empty() && row.head_failure.empty() &&
         row.incomparable.empty() && !row.is_exact && !row.is_control;
}

// What links do to the rows of one family.
struct family_spread {
  std::size_t rows = 0;
  std::size_t moved_rows = 0;
  double largest_ln = 0.0;
  bool is_of_all() const { return rows > 1 && 2 * moved_rows > rows; }
};

// The floors of rows that no link moves, and of the others what theirs do.
void add_floors(const results_by_name& of_row, calibration& floors) {
  std::map<std::string, std::vector<double>> scatter_of_family;
  for (const auto& [name, results] : of_row) {
    const auto scatter = scatter_of(results);
    auto& all = scatter_of_family[family_of(name)];
    all.insert(all.end(), scatter.begin(), scatter.end());
  }
  std::map<std::string, family_spread> families;
  for (const auto& [name, results] : of_row) {
    std::size_t own_results = 0;
    for (const auto& link : results) own_results += link.second.size();
    floors.own_results[name] = own_results;
    const auto own = scatter_of(results);
    const bool is_pooled = own.size() < fewest_results;
    const std::vector<double>& used = is_pooled ? scatter_of_family[family_of(name)] : own;
    const auto scatter =
        used.size() < fewest_results ? std::nullopt : conformal_bound(used, floor_level);
    if (!scatter) {
      floors.uncalibrated.push_back(name);
      continue;
    }
    const double spread_ln = link_spread_ln(results, *scatter);
    floors.rows.push_back({name, std::expm1(std::max(*scatter, spread_ln)), std::expm1(spread_ln),
                           false, used.size(), is_pooled});
    family_spread& family = families[family_of(name)];
    ++family.rows;
    family.moved_rows += spread_ln > 0;
    family.largest_ln = std::max(family.largest_ln, spread_ln);
  }
  for (row_floor& row : floors.rows) {
    const family_spread& family = families[family_of(row.name)];
    const double largest = std::expm1(family.largest_ln);
    if (!family.is_of_all() || largest <= row.link_spread_ratio) continue;
    row.link_spread_ratio = largest;
    row.is_spread_of_family = true;
    row.floor_ratio = std::max(row.floor_ratio, largest);
  }
}

failure broken(std::string_view file, std::string_view what) {
  return ASSAY_FAIL(
      unusable_input,
      fmt::format("{}: {}; give a file that assay compare --calibrate wrote", file, what));
}

}  // namespace

std::optional<double> conformal_bound(std::vector<double> values, double level) {
  const auto rank =
      static_cast<std::size_t>(std::ceil(level * static_cast<double>(values.size() + 1)));
  if (rank == 0 || rank > values.size()) return std::nullopt;
  std::sort(values.begin(), values.end());
  return values[rank - 1];
}

result<calibration> calibrate(const std::vector<run_log>& logs, std::size_t pairs_a_result) {
  calibration floors;
  floors.pairs_a_result = pairs_a_result;
  floors.provenance = provenance_of(logs);
  results_by_name of_row;
  for (const run_log& log : logs) {
    const std::string processor = fact_of(log, "processor");
    const std::string cores = fact_of(log, "cores");
    if (&log == &logs.front()) {
      floors.processor = processor;
      floors.cores = cores;
    } else if (processor != floors.processor || cores != floors.cores) {
      return ASSAY_FAIL(unusable_input,
                        fmt::format("the logs are of two machines: {} with {} cores, {} with {}; "
                                    "calibrate each class by itself",
                                    floors.processor, floors.cores, processor, cores));
    }
    for (const paired_row& row : paired_rows(log))
      if (is_measured(row)) add_results(row, pairs_a_result, of_row[row.name][link_of(log)]);
  }
  std::set<std::string> links;
  for (const auto& row : of_row)
    for (const auto& link : row.second) links.insert(link.first);
  floors.links = links.size();
  add_floors(of_row, floors);
  return floors;
}

std::string calibration_as_json(const calibration& floors) {
  json out = json::object();
  out["assay_calibration"] = format_version;
  out["processor"] = floors.processor;
  out["cores"] = floors.cores;
  out["pairs_a_result"] = floors.pairs_a_result;
  out["links_count"] = floors.links;
  out["floor_level"] = floor_level;
  json& rows = out["rows"] = json::array();
  for (const row_floor& each : floors.rows) {
    json row = json::object();
    row["name"] = each.name;
    row["floor_ratio"] = each.floor_ratio;
    row["link_spread_ratio"] = each.link_spread_ratio;
    row["is_spread_of_family"] = each.is_spread_of_family;
    row["results_count"] = each.result_count;
    row["is_of_family"] = each.is_of_family;
    rows.push_back(std::move(row));
  }
  out["uncalibrated"] = floors.uncalibrated;
  json& facts = out["provenance"] = json::array();
  for (const model::fact& each : floors.provenance) {
    json fact = json::object();
    fact["name"] = each.name;
    fact["value"] = each.value;
    facts.push_back(std::move(fact));
  }
  return out.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}

result<calibration> parse_calibration(std::string_view text, std::string_view file) {
  try {
    const json in = json::parse(text.begin(), text.end());
    if (in.at("assay_calibration").get<int>() != format_version)
      return broken(file, "is of another version of assay");
    calibration floors;
    floors.processor = in.at("processor").get<std::string>();
    floors.cores = in.at("cores").get<std::string>();
    floors.pairs_a_result = in.at("pairs_a_result").get<std::size_t>();
    floors.links = in.value("links_count", std::size_t{0});
    std::set<std::string> names;
    for (const json& row : in.at("rows")) {
      row_floor each;
      each.name = row.at("name").get<std::string>();
      if (!names.insert(each.name).second) return broken(file, "has two floors of one row");
      each.floor_ratio = row.at("floor_ratio").get<double>();
      each.link_spread_ratio = row.value("link_spread_ratio", 0.0);
      each.is_spread_of_family = row.value("is_spread_of_family", false);
      each.result_count = row.at("results_count").get<std::uint64_t>();
      each.is_of_family = row.at("is_of_family").get<bool>();
      if (!(each.floor_ratio >= 0 && each.floor_ratio <= 1000))
        return broken(file, "has a floor that is no share");
      floors.rows.push_back(std::move(each));
    }
    floors.uncalibrated = in.at("uncalibrated").get<std::vector<std::string>>();
    for (const json& fact : in.value("provenance", json::array()))
      floors.provenance.push_back(
          {fact.at("name").get<std::string>(), fact.at("value").get<std::string>()});
    return floors;
  } catch (const json::exception&) {
    return broken(file, "is no calibration");
  }
}

}  // namespace assay::compare
