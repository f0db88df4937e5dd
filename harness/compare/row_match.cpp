// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/row_match.h"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <numeric>
#include <unordered_map>

namespace assay::compare {
namespace {

// What is suggested beyond this many rows nobody reads, and each pair costs a distance.
constexpr std::size_t most_candidates = 200;
constexpr std::size_t longest_name = 300;
constexpr double least_likeness = 0.6;

std::string key_of(const std::string& name, const std::string& metric) {
  return metric + '\0' + name;
}

std::vector<std::size_t> rows_in(const std::vector<model::comparison_row>& rows,
                                 model::row_state state) {
  std::vector<std::size_t> found;
  for (std::size_t at = 0; at < rows.size() && found.size() < most_candidates; ++at)
    if (rows[at].state == state && rows[at].name.size() <= longest_name) found.push_back(at);
  return found;
}

// For each of `from` the most alike of `to`, or `to.size()`.
std::vector<std::size_t> best_of(const std::vector<std::vector<double>>& likeness,
                                 std::size_t from_count, std::size_t to_count, bool is_turned) {
  std::vector<std::size_t> best(from_count, to_count);
  for (std::size_t i = 0; i < from_count; ++i) {
    double most = 0.0;
    for (std::size_t j = 0; j < to_count; ++j) {
      const double value = is_turned ? likeness[j][i] : likeness[i][j];
      if (value < least_likeness || value <= most) continue;
      most = value;
      best[i] = j;
    }
  }
  return best;
}

}  // namespace

std::vector<matched_row> match_rows(const model::sample_set& base, const model::sample_set& head,
                                    const std::vector<row_alias>& aliases) {
  std::unordered_map<std::string, std::string> new_names;
  for (const auto& [old_name, new_name] : aliases) new_names[old_name] = new_name;
  std::unordered_map<std::string, std::deque<std::size_t>> waiting;
  for (std::size_t at = 0; at < head.rows.size(); ++at)
    waiting[key_of(head.rows[at].name, head.rows[at].metric)].push_back(at);
  std::vector<bool> is_taken(head.rows.size(), false);
  std::vector<matched_row> matched;
  matched.reserve(base.rows.size());
  for (const model::sample_row& row : base.rows) {
    matched.push_back({&row, nullptr});
    const auto renamed = new_names.find(row.name);
    const auto found =
        waiting.find(key_of(renamed == new_names.end() ? row.name : renamed->second, row.metric));
    if (found == waiting.end() || found->second.empty()) continue;
    matched.back().head = &head.rows[found->second.front()];
    is_taken[found->second.front()] = true;
    found->second.pop_front();
  }
  for (std::size_t at = 0; at < head.rows.size(); ++at)
    if (!is_taken[at]) matched.push_back({nullptr, &head.rows[at]});
  return matched;
}

double name_likeness(const std::string& one, const std::string& other) {
  if (one.empty() && other.empty()) return 1.0;
  std::vector<std::size_t> row(other.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= one.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= other.size(); ++j) {
      const std::size_t changed = diagonal + (one[i - 1] == other[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({changed, row[j] + 1, row[j - 1] + 1});
    }
  }
  return 1.0 -
         static_cast<double>(row.back()) / static_cast<double>(std::max(one.size(), other.size()));
}

void suggest_renames(std::vector<model::comparison_row>& rows) {
  const auto removed = rows_in(rows, model::row_state::removed);
  const auto added = rows_in(rows, model::row_state::added);
  std::vector<std::vector<double>> likeness(removed.size(), std::vector<double>(added.size(), 0.0));
  for (std::size_t i = 0; i < removed.size(); ++i)
    for (std::size_t j = 0; j < added.size(); ++j)
      if (rows[removed[i]].metric == rows[added[j]].metric)
        likeness[i][j] = name_likeness(rows[removed[i]].name, rows[added[j]].name);
  const auto best_added = best_of(likeness, removed.size(), added.size(), false);
  const auto best_removed = best_of(likeness, added.size(), removed.size(), true);
  for (std::size_t i = 0; i < removed.size(); ++i) {
    const std::size_t j = best_added[i];
    if (j == added.size() || best_removed[j] != i) continue;
    rows[removed[i]].similar_to = rows[added[j]].name;
    rows[added[j]].similar_to = rows[removed[i]].name;
  }
}

}  // namespace assay::compare
