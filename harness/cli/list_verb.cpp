// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// assay list counters|knobs|rules|lies|scenarios: the tables that the program is made of.
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "harness/audit/rule.h"
#include "harness/cli/output_file.h"
#include "harness/cli/scenario_table.h"
#include "harness/cli/text_flag.h"
#include "harness/cli/verbs.h"
#include "harness/guard/rules.h"
#include "harness/selftest/lie.h"
#include "runtime/telemetry/catalog.h"
#include "runtime/telemetry/knobs.h"
#include "scenarios/embedded.h"

namespace assay::cli {
namespace {

using row = std::vector<std::string>;

// Left-aligned columns as wide as their widest cell; the last one runs free.
std::string aligned(const std::vector<row>& rows) {
  std::vector<std::size_t> width;
  for (const row& each : rows)
    for (std::size_t i = 0; i < each.size(); ++i) {
      if (i >= width.size()) width.push_back(0);
      width[i] = std::max(width[i], each[i].size());
    }
  std::string text;
  for (const row& each : rows) {
    for (std::size_t i = 0; i + 1 < each.size(); ++i)
      text += fmt::format("{:<{}}  ", each[i], width[i]);
    text += each.back() + "\n";
  }
  return text;
}

std::vector<row> counters() {
  std::vector<row> rows{
      {"counter", "unit", "kind", "clock", "reset", "what lies between start and stop"}};
  for (const auto& c : telemetry::catalog())
    rows.push_back({std::string(c.name.value), std::string(to_string(c.unit.value)),
                    std::string(to_string(c.kind.value)),
                    std::string(telemetry::to_string(c.clock.value)),
                    std::string(to_string(c.reset.value)), std::string(c.bracket.value)});
  return rows;
}

std::vector<row> knobs() {
  std::vector<row> rows{{"variable", "default", "unit", "changes", "moves"}};
  for (const auto& k : telemetry::knobs())
    rows.push_back({std::string(k.variable), std::string(k.default_value), std::string(k.unit),
                    std::string(k.changes), std::string(k.moves)});
  return rows;
}

std::vector<row> rules() {
  std::vector<row> rows{{"rule", "name", "severity", "where", "check", "tolerance"}};
  for (const auto& r : audit::rules())
    rows.push_back({std::string(r.id), std::string(r.name), std::string(r.severity),
                    std::string(r.precondition), std::string(r.check), std::string(r.tolerance)});
  for (const auto& r : guard::rules())
    rows.push_back({std::string(r.id), std::string(r.name), std::string(r.severity),
                    std::string(r.precondition), std::string(r.check), std::string(r.tolerance)});
  return rows;
}

std::vector<row> lies() {
  std::vector<row> rows{{"lie", "caught by", "what it does"}};
  for (const auto& l : selftest::lies())
    rows.push_back({std::string(l.name), std::string(l.rule), std::string(l.tells)});
  for (const auto& l : selftest::lies_under_limit())
    rows.push_back({std::string(l.name), std::string(l.rule), std::string(l.tells)});
  return rows;
}

result<void> print_scenarios(const std::string& checkpoint) {
  ASSAY_TRY_ASSIGN(const std::int64_t page_tokens,
                   telemetry::knob_value(telemetry::knob_id::kv_page_tokens));
  const std::filesystem::path folder =
      checkpoint.empty() ? scenarios::embedded_checkpoint() : std::filesystem::path(checkpoint);
  ASSAY_TRY_ASSIGN(const auto rows, scenario_table(folder, page_tokens));
  return write_to_stdout(aligned(rows));
}

void add_scenarios(CLI::App& list, verb_action& action) {
  const auto checkpoint = std::make_shared<std::string>();
  CLI::App* verb = list.add_subcommand(
      "scenarios", "Every decode scenario, and the bytes that it must move on a checkpoint");
  verb->add_option("--checkpoint", *checkpoint, "Checkpoint folder (default: the embedded one)")
      ->check(not_empty());
  verb->callback([&action, checkpoint] {
    action = [checkpoint] {
      const auto written = print_scenarios(*checkpoint);
      return written ? exit_code::clean : report_failure(written.error());
    };
  });
}

}  // namespace

void add_list_verb(CLI::App& app, verb_action& action) {
  CLI::App* list =
      app.add_subcommand("list", "Print a table: counters, knobs, rules, lies or scenarios");
  list->require_subcommand(1);
  const auto table = [&](const char* name, const char* help, std::vector<row> (*rows)()) {
    list->add_subcommand(name, help)->callback([&action, rows] {
      action = [rows] {
        const auto written = write_to_stdout(aligned(rows()));
        return written ? exit_code::clean : report_failure(written.error());
      };
    });
  };
  table("counters", "Every counter that the runtime publishes, with its contract", counters);
  table("knobs", "Every environment variable, its default, and what it moves", knobs);
  table("rules", "Every rule of the audit, and the three of the guard", rules);
  table("lies", "Every lie that the self-test plants", lies);
  add_scenarios(*list, action);
}

}  // namespace assay::cli
