// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/guard/project.h"

#include <algorithm>

#include <fmt/format.h>

namespace assay::guard {
namespace {

using model::severity;

constexpr std::string_view catalog_file = "runtime/telemetry/catalog.def";
constexpr std::string_view knobs_file = "runtime/telemetry/knobs.cpp";

void never_written(const project_facts& of, check_log& log) {
  for (const counter_facts& counter : of.counters) {
    if (!counter.inapplicable.empty() && !counter.was_written) {
      log.cannot_judge(counter.name, counter.inapplicable);
      continue;
    }
    log.looked();
    if (counter.was_written) continue;
    log.find(severity::error, "R25", counter.name,
             fmt::format("{} is declared, and no scenario writes it", counter.name),
             std::string(catalog_file));
  }
}

void never_moved(const project_facts& of, check_log& log) {
  for (const counter_facts& counter : of.counters) {
    if (!counter.was_written) continue;
    log.looked();
    const auto excuse = std::find_if(of.still.begin(), of.still.end(),
                                     [&](const auto& s) { return s.name == counter.name; });
    const bool is_excused = excuse != of.still.end();
    if (counter.has_moved && is_excused && !excuse->may_move)
      log.find(severity::error, "R13", counter.name,
               fmt::format("{} is said to stand still ({}), and moves: take the excuse out",
                           counter.name, excuse->reason),
               std::string(catalog_file));
    if (!counter.has_moved && !is_excused)
      log.find(
          severity::error, "R13", counter.name,
          fmt::format("{} is written, and stands at one value in every scenario", counter.name),
          std::string(catalog_file));
  }
}

void never_reported(const project_facts& of, check_log& log) {
  for (const counter_facts& counter : of.counters) {
    log.looked();
    for (const std::string& form : counter.hidden_from)
      log.find(severity::error, "R26", counter.name,
               fmt::format("{} is declared, and the report as {} does not change with it",
                           counter.name, form),
               std::string(catalog_file));
  }
}

void undocumented(const project_facts& of, check_log& log) {
  for (const counter_facts& counter : of.counters) {
    log.looked();
    if (!counter.is_documented)
      log.find(severity::error, "R26", counter.name,
               fmt::format("{} is declared, and docs/counters.md has no row of it", counter.name),
               "docs/counters.md");
  }
}

void variable_unread(const project_facts& of, check_log& log) {
  for (const std::string& name : of.documented_knobs) {
    log.looked();
    const bool is_knob = std::any_of(of.knobs.begin(), of.knobs.end(),
                                     [&](const knob_facts& k) { return k.variable == name; });
    if (!is_knob)
      log.find(severity::error, "R27", name,
               fmt::format("{} is documented, and no row of the table of knobs", name),
               "docs/knobs.md");
  }
}

void variable_undocumented(const project_facts& of, check_log& log) {
  for (const knob_facts& knob : of.knobs) {
    log.looked();
    if (!knob.is_documented)
      log.find(severity::error, "R27", knob.variable,
               fmt::format("{} is a knob, and docs/knobs.md does not name it", knob.variable),
               std::string(knobs_file));
  }
}

void variable_dead(const project_facts& of, check_log& log) {
  for (const knob_facts& knob : of.knobs) {
    const auto find = [&](std::string message) {
      log.find(severity::error, "R27", knob.variable, std::move(message), std::string(knobs_file));
    };
    if (!knob.unshowable.empty()) {
      log.cannot_judge(knob.variable, knob.unshowable);
      continue;
    }
    log.looked();
    if (!knob.failure.empty())
      find(fmt::format("{} says that it moves {}, which cannot be seen: {}", knob.variable,
                       knob.moves, knob.failure));
    else if (knob.before == knob.flipped)
      find(
          fmt::format("{} was flipped, and {} stays at {}: nothing reads it, or once and never "
                      "again",
                      knob.variable, knob.moves, knob.before));
    else if (knob.after != knob.before)
      find(fmt::format("{} was flipped back, and {} is {} and not {} as before", knob.variable,
                       knob.moves, knob.after, knob.before));
  }
}

void stray(const project_facts& of, check_log& log) {
  log.looked(of.files_searched);
  for (const stray_name& each : of.strays)
    log.find(severity::error, "R26", each.what,
             fmt::format("{} stands outside of the tables", each.what), each.where);
}

void gates(const project_facts& of, check_log& log) {
  log.looked(of.gates_tried);
  for (const silent_gate& each : of.silent_gates)
    log.find(
        severity::error, "R26", each.section,
        fmt::format("the report as {} does not show what opens its {}", each.form, each.section),
        "reports/" + each.form);
}

constexpr project_check project_table[] = {
    {"never-written", "R25", never_written},
    {"never-moved", "R13", never_moved},
    {"never-reported", "R26", never_reported},
    {"undocumented", "R26", undocumented},
    {"variable-unread", "R27", variable_unread},
    {"variable-undocumented", "R27", variable_undocumented},
    {"variable-dead", "R27", variable_dead},
    {"outside-the-tables", "R26", stray},
    {"silent-gate", "R26", gates},
};

}  // namespace

std::span<const project_check> project_checks() {
  return project_table;
}

model::guard_report judge_project(const project_facts& of, std::span<const project_check> with) {
  model::guard_report report;
  report.promise_count = of.counters.size() + of.knobs.size();
  report.facts = of.facts;
  for (const project_check& each : with) {
    check_log log(each.name);
    each.run(of, log);
    std::move(log).move_into(report);
  }
  return report;
}

}  // namespace assay::guard
