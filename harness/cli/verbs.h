// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// One function a verb: declares the verb's flags and, if it was called, runs it.
#pragma once

#include <functional>

#include <CLI/CLI.hpp>

#include "harness/cli/exit_code.h"

namespace assay::cli {

/// What a verb leaves behind for main: run after the command line was accepted as a whole.
using verb_action = std::function<exit_code()>;

/// Each adds a subcommand to `app`; when that subcommand was given, `action` is set.
void add_audit_verb(CLI::App& app, verb_action& action);
void add_selftest_verb(CLI::App& app, verb_action& action);
void add_decode_verb(CLI::App& app, verb_action& action);
void add_list_verb(CLI::App& app, verb_action& action);
void add_doctor_verb(CLI::App& app, verb_action& action);
void add_report_verb(CLI::App& app, verb_action& action);
void add_compare_verb(CLI::App& app, verb_action& action);
void add_guard_verb(CLI::App& app, verb_action& action);
void add_history_verb(CLI::App& app, verb_action& action);
void add_plan_verb(CLI::App& app, verb_action& action);
void add_checkpoint_verb(CLI::App& app, verb_action& action);

}  // namespace assay::cli
