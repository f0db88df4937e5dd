// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// How a command line ends that no verb was run for: help, or one line that says what is wrong.
#pragma once

#include <CLI/CLI.hpp>

#include "harness/cli/exit_code.h"

namespace assay::cli {

/// Help goes to stdout and is clean; anything else is one "assay: " line and `unusable`.
exit_code end_without_verb(const CLI::App& app, const CLI::ParseError& why);

}  // namespace assay::cli
