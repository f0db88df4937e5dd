// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Conditions that can only fail by our own mistake.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace assay {

/// Prints the broken condition and aborts. Never inlined: the happy path stays small.
[[noreturn]] inline void check_failed(const char* condition, const char* message, const char* file,
                                      int line) {
  std::fprintf(stderr, "assay: internal error: %s (%s) at %s:%d\n", message, condition, file, line);
  std::abort();
}

}  // namespace assay

/// Active in every build: a check that vanishes in Release would let a wrong number out there.
#define ASSAY_CHECK(condition_, message_)                                 \
  do {                                                                    \
    if (!(condition_)) [[unlikely]]                                       \
      ::assay::check_failed(#condition_, (message_), __FILE__, __LINE__); \
  } while (false)
