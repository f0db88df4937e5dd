// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/cut_file.h"

#include <csignal>
#include <string_view>

#include <unistd.h>

#include "harness/cli/exit_code.h"

namespace assay::cli {
namespace {

constexpr std::string_view line =
    "assay: a file of the checkpoint was cut, or its disk failed, while it was read (SIGBUS); take "
    "it whole and run again\n";

// Nothing but what a signal handler may call.
void on_bus_error(int) {
  [[maybe_unused]] const auto written = ::write(2, line.data(), line.size());
  ::_exit(static_cast<int>(exit_code::unusable));
}

}  // namespace

void tell_of_cut_files() {
  struct sigaction act {};
  act.sa_handler = on_bus_error;
  act.sa_flags = static_cast<int>(SA_RESETHAND);
  sigaction(SIGBUS, &act, nullptr);
}

}  // namespace assay::cli
