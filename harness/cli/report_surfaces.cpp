// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/report_surfaces.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "reports/json/audit_json.h"
#include "reports/junit/audit_junit.h"
#include "reports/markdown/audit_markdown.h"
#include "reports/model/outcome.h"
#include "reports/prometheus/audit_prometheus.h"
#include "reports/text/audit_text.h"

namespace assay::cli {
namespace {

struct surface {
  std::string_view name;
  std::string (*render)(const model::audit_report& report);
  bool has_sections;  ///< shows findings, unclaimed activity, ceilings and facts
};

constexpr std::array<surface, 5> surfaces{{
    {"text", [](const model::audit_report& r) { return reports::audit_as_text(r); }, true},
    {"markdown", [](const model::audit_report& r) { return reports::audit_as_markdown(r); }, true},
    {"json",
     [](const model::audit_report& r) { return reports::audit_as_json(r, model::outcome_of(r)); },
     true},
    {"junit",
     [](const model::audit_report& r) { return reports::audit_as_junit(r, model::outcome_of(r)); },
     false},
    {"prometheus",
     [](const model::audit_report& r) {
       return reports::audit_as_prometheus(r, model::outcome_of(r));
     },
     false},
}};

constexpr std::int64_t unlikely_value = 987'654'321;
constexpr std::string_view mark = "guard-mark";

// The same report with another number, or another reason for there being none.
model::audit_report with_other_value(const model::audit_report& report, std::size_t row) {
  model::audit_report changed = report;
  model::counter_line& line = changed.counters[row];
  if (line.claimed.is_present) {
    line.claimed.integer += unlikely_value;
    line.claimed.real += static_cast<double>(unlikely_value);
  } else {
    line.claimed.absence += mark;
    line.reason += mark;
  }
  return changed;
}

struct section {
  std::string_view name;
  void (*open)(model::audit_report& report);
};

const std::array<section, 5> sections{{
    {"findings",
     [](model::audit_report& r) {
       model::finding found;
       found.rule = "R00";
       found.message = mark;
       r.findings.push_back(found);
     }},
    {"unclaimed activity",
     [](model::audit_report& r) {
       r.unclaimed.push_back({std::string(mark), 1, 1, 1});
     }},
    {"ceilings",
     [](model::audit_report& r) {
       r.ceilings.push_back({std::string(mark), 1.0, 1.0, 1, "none"});
     }},
    {"gates",
     [](model::audit_report& r) {
       r.gates.push_back({"G9", std::string(mark), false, 1, "none"});
     }},
    {"facts",
     [](model::audit_report& r) {
       r.facts.push_back({std::string(mark), "1"});
     }},
}};

}  // namespace

void look_at_surfaces(const model::audit_report& report, guard::project_facts& facts) {
  std::array<std::string, surfaces.size()> honest;
  for (std::size_t at = 0; at < surfaces.size(); ++at) honest[at] = surfaces[at].render(report);
  for (std::size_t row = 0; row < facts.counters.size(); ++row) {
    const auto line =
        std::find_if(report.counters.begin(), report.counters.end(),
                     [&](const auto& c) { return c.name == facts.counters[row].name; });
    for (std::size_t at = 0; at < surfaces.size(); ++at) {
      const bool is_shown =
          line != report.counters.end() &&
          surfaces[at].render(with_other_value(
              report, static_cast<std::size_t>(line - report.counters.begin()))) != honest[at];
      if (!is_shown) facts.counters[row].hidden_from.emplace_back(surfaces[at].name);
    }
  }
  for (const section& each : sections) {
    model::audit_report opened = report;
    each.open(opened);
    for (const surface& form : surfaces) {
      if (!form.has_sections) continue;
      ++facts.gates_tried;
      if (form.render(opened).find(mark) == std::string::npos)
        facts.silent_gates.push_back({std::string(each.name), std::string(form.name)});
    }
  }
}

}  // namespace assay::cli
