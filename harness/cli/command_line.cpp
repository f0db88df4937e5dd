// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/command_line.h"

#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/cli/output_file.h"

namespace assay::cli {
namespace {

// The innermost verb that the caller got right: the fault lies in what follows it.
const CLI::App* reached(const CLI::App* app) {
  const auto given = app->get_subcommands();
  return given.empty() ? app : reached(given.front());
}

// "", "audit: ", "list counters: ": whose flags are meant.
std::string place_of(const CLI::App* app) {
  if (app->get_parent() == nullptr) return "";
  const CLI::App* above = app->get_parent();
  return (above->get_parent() == nullptr ? "" : above->get_name() + " ") + app->get_name() + ": ";
}

std::string help_on(const CLI::App* app) {
  std::string command = app->get_name() + " --help";
  for (const CLI::App* up = app->get_parent(); up != nullptr; up = up->get_parent())
    command = up->get_name() + " " + command;
  return "see " + command;
}

// CLI11 says "A subcommand is required" even where one was given and is misspelled.
std::string wrong_verb(const CLI::App* at) {
  std::vector<std::string> verbs;
  for (const CLI::App* verb : at->get_subcommands([](const CLI::App*) { return true; }))
    verbs.push_back(verb->get_name());
  const auto unknown = at->remaining();
  return fmt::format(
      "{}{}; use one of {}", place_of(at),
      unknown.empty() ? "the verb is missing" : fmt::format("'{}' is no verb", unknown.front()),
      fmt::join(verbs, ", "));
}

std::string complaint(const CLI::App& app, const CLI::ParseError& why) {
  const CLI::App* at = reached(&app);
  if (!at->get_subcommands([](const CLI::App*) { return true; }).empty()) return wrong_verb(at);
  const bool is_conflict = dynamic_cast<const CLI::ExcludesError*>(&why) != nullptr;
  return place_of(at) + why.what() + "; " + (is_conflict ? "give one of the two" : help_on(at));
}

}  // namespace

exit_code end_without_verb(const CLI::App& app, const CLI::ParseError& why) {
  if (why.get_exit_code() == 0) {
    std::ostringstream help;
    app.exit(why, help, help);
    const auto written = write_to_stdout(help.str());
    return written ? exit_code::clean : report_failure(written.error());
  }
  return report_failure(ASSAY_FAIL(usage, complaint(app, why)).value());
}

}  // namespace assay::cli
