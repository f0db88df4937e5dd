// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// assay doctor: what can be measured on this machine, and why the rest cannot.
#include <string>
#include <vector>

#include <fmt/format.h>

#include "harness/cli/build_id.h"
#include "harness/cli/examination.h"
#include "harness/cli/output_file.h"
#include "harness/cli/verbs.h"

namespace assay::cli {
namespace {

std::string section(std::string_view title, const std::vector<ability>& abilities) {
  std::string text = fmt::format("\n{}\n", title);
  for (const ability& each : abilities)
    text += fmt::format("{:<9} {:<17} {}\n", to_string(each.state), each.what, each.detail);
  return text;
}

result<void> print_report() {
  const std::vector<ability> gpu = examine_gpu();
  return write_to_stdout(fmt::format("assay, build id {}\n", build_id()) +
                         section("references", examine_references()) + section("GPU", gpu) +
                         section("ceilings", examine_ceilings()));
}

}  // namespace

void add_doctor_verb(CLI::App& app, verb_action& action) {
  CLI::App* verb =
      app.add_subcommand("doctor", "Say what can be measured here, and why the rest cannot");
  verb->callback([&action] {
    action = [] {
      const auto outcome = print_report();
      return outcome ? exit_code::clean : report_failure(outcome.error());
    };
  });
}

}  // namespace assay::cli
