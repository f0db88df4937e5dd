// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/terminal.h"

#include <unistd.h>

#include <cstdio>
#include <string>

#include "runtime/telemetry/knobs.h"

namespace assay::cli {

bool is_stdout_coloured() {
  return isatty(STDOUT_FILENO) == 1 && !telemetry::is_colour_refused();
}

progress progress_on_stderr() {
  if (isatty(STDERR_FILENO) != 1) return [](std::string_view) {};
  return [](std::string_view what) {
    std::fprintf(stderr, "\r\033[K%.*s", static_cast<int>(what.size()), what.data());
    std::fflush(stderr);
  };
}

}  // namespace assay::cli
