// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/guard/assembled_names.h"

#include <algorithm>
#include <utility>

#include "harness/guard/unit_words.h"

namespace assay::guard {
namespace {

// "srv.request-size" as a library publishes it; empty where nothing would be another.
std::string published(std::string_view token) {
  if (token.find('.') == std::string_view::npos) return {};
  std::string name(token);
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '.' || c == '-'; }, '_');
  return name;
}

}  // namespace

void assembled_names::want(std::string_view metric, const std::vector<std::string>& prefixes) {
  const std::string_view bare = without_suffix(metric);
  for (const std::string_view name : {metric, bare})
    metrics_.try_emplace(std::string(name), metric);
  if (unit_in_name(bare))
    metrics_.try_emplace(std::string(bare.substr(0, bare.find_last_of('_'))), metric);
  const auto take_parts = [&](std::string_view name) {
    for (std::size_t at = name.find('_'); at != std::string_view::npos;
         at = name.find('_', at + 1)) {
      const std::string_view before = name.substr(0, at);
      const std::string_view last = name.substr(at + 1);
      if (before.empty() || last.empty()) continue;
      std::vector<ending>& of = endings_[std::string(last)];
      of.push_back({std::string(metric), std::string(before)});
      befores_.emplace(before);
      for (const std::string& prefix : prefixes) {
        if (before.size() <= prefix.size() || !before.starts_with(prefix)) continue;
        const std::string_view middle = before.substr(prefix.size());
        of.push_back({std::string(metric), std::string(middle)});
        befores_.emplace(middle);
      }
    }
  };
  take_parts(metric);
  if (bare != metric) take_parts(bare);
}

bool assembled_names::is_part(std::string_view token) const {
  const std::string key(token);
  return befores_.count(key) != 0 || endings_.count(key) != 0 ||
         metrics_.count(published(token)) != 0;
}

void assembled_names::take(std::string_view token, std::size_t line, bool is_declared) {
  const std::string key(token);
  if (befores_.count(key) != 0) seen_befores_[key].push_back(line);
  if (const auto dotted = metrics_.find(published(token)); dotted != metrics_.end())
    seen_metrics_.emplace_back(dotted->second, line);
  const bool is_lone = token.find('_') == std::string_view::npos;
  if (endings_.count(key) != 0 && (!is_lone || is_declared)) seen_endings_.emplace_back(key, line);
}

std::vector<std::pair<std::string, std::size_t>> assembled_names::end_of_file(
    std::size_t near_lines) {
  auto found = std::exchange(seen_metrics_, {});
  for (const auto& [last, line] : seen_endings_)
    for (const ending& each : endings_.at(last)) {
      const auto lines = seen_befores_.find(each.before);
      if (lines == seen_befores_.end()) continue;
      const std::size_t least = line - std::min(line, near_lines);
      const auto next = std::lower_bound(lines->second.begin(), lines->second.end(), least);
      if (next != lines->second.end() && *next <= line + near_lines)
        found.emplace_back(each.metric, line);
    }
  seen_befores_.clear();
  seen_endings_.clear();
  return found;
}

}  // namespace assay::guard
