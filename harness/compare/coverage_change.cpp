// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/coverage_change.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace assay::compare {
namespace {

template <class Hits>
model::coverage_count counted(const Hits& hits) {
  model::coverage_count count;
  for (const auto& each : hits) {
    ++count.total;
    count.covered += each.second > 0;
  }
  return count;
}

void add(model::coverage_count& to, const model::coverage_count& more) {
  to.covered += more.covered;
  to.total += more.total;
}

model::coverage_totals totals_of(const model::coverage_data& data) {
  model::coverage_totals totals;
  for (const auto& each : data) {
    const model::coverage_count lines = counted(each.second.line_hits);
    add(totals.lines, lines);
    add(totals.branches, counted(each.second.branch_hits));
    add(totals.files, {lines.covered > 0 ? 1U : 0U, 1});
  }
  return totals;
}

bool is_bare(const std::string& path) {
  return path.find('/') == std::string::npos;
}

// Where the repository lay by what the tool wrote before a path of it.
std::string root_before(const std::string& tool_path, const std::string& path) {
  return tool_path.substr(0, tool_path.size() - path.size());
}

// The root that the most names of the diff's paths speak for; none where two are equal. A name
// without a folder speaks for any folder that has a file of that name.
std::optional<std::string> likeliest_root(const model::coverage_data& data,
                                          const model::touched_lines& touched) {
  std::map<std::string, std::size_t> names;
  for (const auto& each : touched)
    for (const auto& file : data)
      if (!is_bare(each.first) && is_path_of(file.first, each.first))
        names[root_before(file.first, each.first)] +=
            static_cast<std::size_t>(std::count(each.first.begin(), each.first.end(), '/')) + 1;
  std::optional<std::string> best;
  std::size_t most = 0;
  for (const auto& [root, count] : names) {
    if (count == most) best.reset();
    if (count <= most) continue;
    most = count;
    best = root;
  }
  return best;
}

// Whether a file lies beside that folder: then the folder is one of several, and no root.
bool has_neighbour(const model::coverage_data& data, const std::string& root) {
  const std::string above = root.substr(0, root.find_last_of('/', root.size() - 2) + 1);
  return std::any_of(data.begin(), data.end(), [&](const auto& each) {
    return each.first.starts_with(above) && !each.first.starts_with(root);
  });
}

// Whether a file below `root` can have that path in the repository: lib/main.cpp is no main.cpp.
bool is_root_of(const std::string& root, const std::string& path,
                const std::optional<std::string>& likeliest, const model::coverage_data& data) {
  if (likeliest && root.size() > likeliest->size() && root.starts_with(*likeliest)) return false;
  if (!is_bare(path)) return true;
  return likeliest ? root == *likeliest : !has_neighbour(data, root);
}

// The file of the head that a path of the diff is; none where several could be.
const model::file_coverage* file_of(const model::coverage_data& data, const std::string& path,
                                    const std::optional<std::string>& likeliest) {
  const model::file_coverage* found = nullptr;
  for (const auto& each : data) {
    if (each.first == path) return &each.second;
    if (!is_path_of(each.first, path)) continue;
    if (!is_root_of(root_before(each.first, path), path, likeliest, data)) continue;
    if (found != nullptr) return nullptr;
    found = &each.second;
  }
  return found;
}

// Lines without code (a comment, a brace) are not asked for. A file that is not in the upload is
// named: a new one that no test compiles would else look as if it had been reached.
model::coverage_count touched_of(const model::coverage_data& head,
                                 const model::touched_lines& touched,
                                 std::vector<std::string>& unseen) {
  model::coverage_count count;
  const std::optional<std::string> root = likeliest_root(head, touched);
  for (const auto& each : touched) {
    const model::file_coverage* file = file_of(head, each.first, root);
    if (file == nullptr) {
      unseen.push_back(each.first);
      continue;
    }
    for (const std::uint32_t line : each.second) {
      const auto hits = file->line_hits.find(line);
      if (hits == file->line_hits.end()) continue;
      ++count.total;
      count.covered += hits->second > 0;
    }
  }
  return count;
}

// Where the two uploads were made in different folders every file is gone, and no loss is seen.
void add_losses(const model::coverage_data& base, const model::coverage_data& head,
                model::coverage_flag& flag, std::vector<model::coverage_loss>& to) {
  for (const auto& each : base) {
    const auto in_head = head.find(each.first);
    if (in_head == head.end()) {
      flag.gone_files.push_back(each.first);
      continue;
    }
    const model::coverage_count before = counted(each.second.line_hits);
    const model::coverage_count after = counted(in_head->second.line_hits);
    if (before.ratio() && after.ratio() && *after.ratio() < *before.ratio())
      to.push_back({flag.name, each.first, before, after});
  }
}

std::string why_unknown(bool is_in_base, bool is_in_head) {
  if (!is_in_base) return "uploaded for the head only: there is nothing to hold it against";
  if (!is_in_head) return "uploaded for the base only: the head's is unknown, which is not 0";
  return {};
}

}  // namespace

bool is_path_of(const std::string& tool_path, const std::string& repository_path) {
  if (tool_path == repository_path) return true;
  return !repository_path.empty() && tool_path.size() > repository_path.size() &&
         tool_path.ends_with(repository_path) &&
         tool_path[tool_path.size() - repository_path.size() - 1] == '/';
}

model::coverage_table coverage_change(const coverage_input& input) {
  model::coverage_table table;
  std::set<std::string> names;
  for (const auto& each : input.base) names.insert(each.first);
  for (const auto& each : input.head) names.insert(each.first);
  for (const std::string& name : names) {
    const auto base = input.base.find(name);
    const auto head = input.head.find(name);
    const bool is_in_base = base != input.base.end();
    const bool is_in_head = head != input.head.end();
    model::coverage_flag flag;
    flag.name = name;
    if (is_in_base) flag.base = totals_of(base->second);
    if (is_in_head) flag.head = totals_of(head->second);
    flag.unknown = why_unknown(is_in_base, is_in_head);
    const auto carried = input.carried.find(name);
    if (carried != input.carried.end()) flag.carried = carried->second;
    // What was carried forward did not see the change.
    if (is_in_head && flag.carried.empty() && input.touched)
      flag.touched = touched_of(head->second, *input.touched, flag.unseen_files);
    if (is_in_base && is_in_head && flag.carried.empty())
      add_losses(base->second, head->second, flag, table.losses);
    table.flags.push_back(std::move(flag));
  }
  if (!input.touched) table.touched_absence = "no diff was given";
  const auto loss_of = [](const model::coverage_loss& each) {
    return *each.base.ratio() - *each.head.ratio();
  };
  std::stable_sort(table.losses.begin(), table.losses.end(),
                   [&](const auto& a, const auto& b) { return loss_of(a) > loss_of(b); });
  return table;
}

}  // namespace assay::compare
