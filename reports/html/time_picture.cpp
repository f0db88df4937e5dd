// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/html/time_picture.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "reports/html/escape.h"
#include "reports/wording/investigation_words.h"
#include "reports/wording/quantity_words.h"

namespace assay::reports {
namespace {

constexpr int row_px = 22;
// Narrow enough that the words can be read where the whole is 330 px across.
constexpr int label_px = 115;
constexpr int bar_px = 200;
constexpr int words_px = 145;
constexpr int widest_px = 640;

std::string bar(int row, std::string_view name, std::int64_t ns, std::int64_t whole_ns,
                std::int64_t widest_ns, std::uint64_t passes) {
  const double length =
      widest_ns > 0 ? static_cast<double>(ns) * bar_px / static_cast<double>(widest_ns) : 0.0;
  const int y = row * row_px;
  return fmt::format(
      "<text class=\"ink\" x=\"0\" y=\"{}\">{}</text>"
      "<rect class=\"{}\" x=\"{}\" y=\"{}\" width=\"{:.1f}\" height=\"{}\"/>"
      "<text class=\"ink\" x=\"{:.1f}\" y=\"{}\">{}</text>\n",
      y + 15, html_escaped(name), name == "residual" ? "point" : "range", label_px, y + 3, length,
      row_px - 6, label_px + length + 6, y + 15,
      html_escaped(fmt::format("{}, {}", duration_words(ns / static_cast<std::int64_t>(passes)),
                               share_words(ns, whole_ns))));
}

}  // namespace

std::string time_picture(const model::pass_total& total) {
  std::int64_t widest_ns = total.residual_ns;
  for (const std::int64_t each : total.parts) widest_ns = std::max(widest_ns, each);
  const int rows = static_cast<int>(model::time_part_count) + 1;
  std::string out = fmt::format(
      "<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\" style=\"max-width:{}px;width:100%;"
      "font-size:13px\">\n<style>.ink{{fill:currentColor}}.range{{fill:var(--accent)}}"
      ".point{{fill:var(--doubt)}}</style>\n",
      label_px + bar_px + words_px, rows * row_px,
      html_escaped("Parts of a decode step; the table below has the same figures"), widest_px);
  for (std::size_t at = 0; at < model::time_part_count; ++at)
    out += bar(static_cast<int>(at), to_string(static_cast<model::time_part>(at)), total.parts[at],
               total.wall_ns, widest_ns, total.passes);
  out += bar(rows - 1, "residual", total.residual_ns, total.wall_ns, widest_ns, total.passes);
  return out + "</svg>\n";
}

}  // namespace assay::reports
