// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What the terminal is told: colours where it can show them, progress where somebody looks.
#pragma once

#include "harness/cli/audited_run.h"

namespace assay::cli {

/// stdout is a terminal and NO_COLOR is not set.
bool is_stdout_coloured();

/// One line on stderr that is overwritten, and taken away by an empty one; nothing where stderr is
/// no terminal.
progress progress_on_stderr();

}  // namespace assay::cli
