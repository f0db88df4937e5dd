// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/interrupt.h"

#include <csignal>

namespace assay::cli {
namespace {

volatile std::sig_atomic_t interrupted = 0;

void on_signal(int) {
  interrupted = 1;
}

}  // namespace

void catch_interrupts() {
  struct sigaction act {};
  act.sa_handler = on_signal;
  act.sa_flags = static_cast<int>(SA_RESETHAND);
  sigaction(SIGINT, &act, nullptr);
  sigaction(SIGTERM, &act, nullptr);
}

bool is_interrupted() {
  return interrupted != 0;
}

}  // namespace assay::cli
