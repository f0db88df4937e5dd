// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What a verb's end means to whoever called the program.
#pragma once

#include <string_view>

#include "runtime/telemetry/result.h"

namespace assay::cli {

enum class exit_code : int {
  clean = 0,
  found = 1,              ///< a counter disagrees, a lie survived
  unusable = 2,           ///< usage, or input that cannot be used
  could_not_measure = 3,  ///< the machine or the system refused, or the run was interrupted
  undecided = 4,
  not_comparable = 5,
  internal = 70,
};

constexpr exit_code exit_code_of(error_kind kind) {
  switch (kind) {
    case error_kind::usage:
    case error_kind::unusable_input:
      return exit_code::unusable;
    case error_kind::out_of_memory:
    case error_kind::unavailable:
    case error_kind::io:
    case error_kind::interrupted:
      return exit_code::could_not_measure;
    case error_kind::internal:
      return exit_code::internal;
  }
  return exit_code::internal;
}

/// Prints "assay: message" to stderr, on one line, and gives the exit code.
exit_code report_failure(const error& failure);

}  // namespace assay::cli
