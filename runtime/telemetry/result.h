// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Errors that can happen in the field, as values.
#pragma once

#include <string>
#include <utility>

#include <tl/expected.hpp>

namespace assay {

/// Why an operation did not happen. The kind decides the exit code of a verb; the sentence names
/// the thing and the fix.
enum class error_kind {
  usage,           ///< the caller asked for something contradictory or unknown
  unusable_input,  ///< a file is missing, broken, or not what it says it is
  out_of_memory,   ///< an arena or a budget cannot hold what was asked
  unavailable,     ///< this machine cannot do or measure it
  io,              ///< the operating system refused a read or a write
  interrupted,     ///< stopped from outside; what was measured so far is kept
  internal,        ///< our own defect, reported rather than aborted because data can be saved
};

/// One failure: what kind, one sentence with the fix, and where in the code it was raised.
struct error {
  error_kind kind;
  std::string message;
  const char* origin_file;
  int origin_line;
};

template <class T>
using result = tl::expected<T, error>;

using failure = tl::unexpected<error>;

}  // namespace assay

/// Raises an error with its origin. A macro because std::source_location is not usable in every
/// compiler that must read this header.
#define ASSAY_FAIL(kind_, message_) \
  ::assay::failure(::assay::error{::assay::error_kind::kind_, (message_), __FILE__, __LINE__})

#define ASSAY_CONCAT_INNER(a, b) a##b
#define ASSAY_CONCAT(a, b) ASSAY_CONCAT_INNER(a, b)

/// Returns the error of `expression` from the enclosing function, or goes on.
#define ASSAY_TRY(expression)                                                 \
  do {                                                                        \
    if (auto assay_try_result = (expression); !assay_try_result) [[unlikely]] \
      return ::assay::failure(std::move(assay_try_result).error());           \
  } while (false)

/// Binds the value of `expression` to `declaration`, or returns its error.
#define ASSAY_TRY_ASSIGN(declaration, expression)                                   \
  auto ASSAY_CONCAT(assay_try_, __LINE__) = (expression);                           \
  if (!ASSAY_CONCAT(assay_try_, __LINE__)) [[unlikely]]                             \
    return ::assay::failure(std::move(ASSAY_CONCAT(assay_try_, __LINE__)).error()); \
  declaration = std::move(*ASSAY_CONCAT(assay_try_, __LINE__))
