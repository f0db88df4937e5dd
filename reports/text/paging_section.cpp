// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/text/paging_section.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "reports/text/columns.h"
#include "reports/wording/audit_words.h"
#include "reports/wording/quantity_words.h"
#include "runtime/telemetry/catalog.h"

namespace assay::reports {
namespace {

constexpr std::string_view page_ins = "runtime.paging.";
constexpr std::string_view rows = "runtime.embedding.";
// Its absence says that nothing was looked up: there was no limit.
const std::string_view lookups =
    telemetry::contract_of(telemetry::counter_id::paging_lookups_count).name.value;

bool is_of_section(const model::counter_line& line) {
  return line.name.starts_with(page_ins) || line.name.starts_with(rows);
}

// What the ledger says that it must be, over the same windows; a level as it was last.
std::string closed_form(const model::counter_line& line) {
  for (const model::reference& each : line.references)
    if (each.source == "ledger" && each.relation == "equal" && each.observed.is_present)
      return quantity_words(each.observed, line.unit, line.kind);
  return "-";
}

std::string ceiling(const model::counter_line& line, const model::audit_report& report) {
  if (line.unit != "bytes_per_s") return {};
  for (const model::ceiling_line& each : report.ceilings)
    if (each.link == "host_memcpy") return "ceiling " + each.link + ": " + ceiling_words(each);
  return "no ceiling was measured";
}

struct cells {
  std::string name, measured, expected, note;
};

}  // namespace

std::vector<std::string> paging_lines(const model::audit_report& report) {
  const auto looked_up =
      std::find_if(report.counters.begin(), report.counters.end(),
                   [](const model::counter_line& line) { return line.name == lookups; });
  if (looked_up == report.counters.end() || !looked_up->claimed.is_present) return {};
  std::vector<cells> table{{"counter", "measured", "closed form", ""}};
  for (const model::counter_line& each : report.counters)
    if (is_of_section(each))
      table.push_back({one_line(each.name), one_line(claimed_words(each)),
                       one_line(closed_form(each)), one_line(ceiling(each, report))});
  std::size_t widths[3]{};
  for (const cells& each : table) {
    widths[0] = std::max(widths[0], columns(each.name));
    widths[1] = std::max(widths[1], columns(each.measured));
    widths[2] = std::max(widths[2], columns(each.expected));
  }
  std::vector<std::string> lines;
  for (const cells& each : table)
    lines.push_back(fmt::format("  {}  {}  {}  {}", pad_right(each.name, widths[0]),
                                pad_left(each.measured, widths[1]),
                                pad_left(each.expected, widths[2]), each.note));
  return lines;
}

}  // namespace assay::reports
