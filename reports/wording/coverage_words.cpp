// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/wording/coverage_words.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace assay::reports {
namespace {

using totals = std::optional<model::coverage_totals>;

std::string share(const std::optional<model::coverage_count>& count) {
  if (!count) return "?";
  const auto ratio = count->ratio();
  return ratio ? fmt::format("{:.1f} %", 100.0 * *ratio) : "none";
}

std::string change(const totals& base, const totals& head,
                   model::coverage_count model::coverage_totals::*which) {
  const auto side = [which](const totals& all) {
    return all ? std::optional((*all).*which) : std::nullopt;
  };
  const auto before = side(base);
  const auto after = side(head);
  if (before && after && before->total == 0 && after->total == 0) return "none";
  std::string words = fmt::format("{} → {}", share(before), share(after));
  if (before && after && before->ratio() && after->ratio())
    words += fmt::format(" ({:+.1f} points)", 100.0 * (*after->ratio() - *before->ratio()));
  return words;
}

std::string files(const totals& base, const totals& head) {
  const auto side = [](const totals& all) {
    return all ? fmt::format("{} of {}", all->files.covered, all->files.total) : std::string("?");
  };
  return fmt::format("{} → {}", side(base), side(head));
}

std::string touched(const model::coverage_flag& flag, const std::string& absence) {
  if (!flag.touched) return absence.empty() ? "?" : "-";
  if (flag.touched->total == 0) return "none has code";
  return fmt::format("{} of {} ({})", flag.touched->covered, flag.touched->total,
                     share(flag.touched));
}

// The first of them, and how many there are.
std::string listed(const std::vector<std::string>& files, const char* what) {
  constexpr std::size_t most = 3;
  if (files.empty()) return {};
  std::string words =
      fmt::format("{} file{} {}: ", files.size(), files.size() == 1 ? "" : "s", what);
  for (std::size_t i = 0; i < std::min(files.size(), most); ++i)
    words += (i == 0 ? "" : ", ") + files[i];
  return files.size() > most ? words + ", …" : words;
}

}  // namespace

std::vector<coverage_cells> coverage_rows(const model::coverage_table& table) {
  std::vector<coverage_cells> rows;
  for (const model::coverage_flag& flag : table.flags) {
    std::string note;
    for (const std::string& each :
         {flag.unknown, flag.carried,
          listed(flag.unseen_files, "that the change wrote to, not in the head's upload"),
          listed(flag.gone_files, "of the base not in the head's upload, losses unknown")})
      if (!each.empty()) note += (note.empty() ? "" : "; ") + each;
    rows.push_back({flag.name, change(flag.base, flag.head, &model::coverage_totals::lines),
                    change(flag.base, flag.head, &model::coverage_totals::branches),
                    files(flag.base, flag.head), touched(flag, table.touched_absence),
                    std::move(note)});
  }
  return rows;
}

std::vector<std::string> coverage_losses(const model::coverage_table& table) {
  std::vector<std::string> lines;
  for (const model::coverage_loss& each : table.losses)
    lines.push_back(fmt::format("{} [{}]: {} → {}, {} of {} lines, then {} of {}", each.file,
                                each.flag, share(each.base), share(each.head), each.base.covered,
                                each.base.total, each.head.covered, each.head.total));
  return lines;
}

}  // namespace assay::reports
