// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <exception>

#include "harness/cli/verbs.h"

int main(int argc, char** argv) {
  using namespace assay::cli;
  try {
    CLI::App app{"Assay: is that performance number true? Audits the counters of a decode run."};
    app.name("assay");
    app.require_subcommand(1);
    app.set_help_all_flag("--help-all", "Help for every verb");
    verb_action action;
    add_audit_verb(app, action);
    add_selftest_verb(app, action);
    add_decode_verb(app, action);
    add_list_verb(app, action);
    add_doctor_verb(app, action);
    try {
      app.parse(argc, argv);
    } catch (const CLI::ParseError& e) {
      // Asking for help is no error; everything else is the caller's.
      return app.exit(e) == 0 ? 0 : static_cast<int>(exit_code::unusable);
    }
    return static_cast<int>(action());
  } catch (const std::exception& e) {
    std::fprintf(stderr, "assay: internal error: %s\n", e.what());
    return static_cast<int>(exit_code::internal);
  }
}
