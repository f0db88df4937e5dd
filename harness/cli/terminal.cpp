// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/terminal.h"

#include <unistd.h>

#include <cstdio>
#include <string>

#include "reports/wording/audit_words.h"
#include "runtime/telemetry/knobs.h"

namespace assay::cli {

bool is_stdout_coloured() {
  return isatty(STDOUT_FILENO) == 1 && !telemetry::is_colour_refused();
}

progress progress_on_stderr() {
  if (isatty(STDERR_FILENO) != 1) return [](std::string_view) {};
  return [](std::string_view what) {
    // What is told may name a foreign program's rows.
    std::fprintf(stderr, "\r\033[K%s", reports::one_line(what).c_str());
    std::fflush(stderr);
  };
}

}  // namespace assay::cli
