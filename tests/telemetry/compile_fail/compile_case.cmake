# SPDX-FileCopyrightText: The Assay authors
# SPDX-License-Identifier: Apache-2.0
# Compiles one case of SOURCE (contract_case.cpp where none is named). COMPILER, ROOT, CASE,
# MESSAGE_PATTERN (empty: must compile).
if(NOT SOURCE)
  set(SOURCE tests/telemetry/compile_fail/contract_case.cpp)
endif()
execute_process(
  COMMAND "${COMPILER}" -std=c++20 -fsyntax-only "-I${ROOT}" "-DASSAY_BREAK_${CASE}"
    "${ROOT}/${SOURCE}"
  RESULT_VARIABLE code
  OUTPUT_VARIABLE said
  ERROR_VARIABLE said)

if(MESSAGE_PATTERN STREQUAL "")
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "the case with nothing broken does not compile:\n${said}")
  endif()
elseif(code EQUAL 0)
  message(FATAL_ERROR "${CASE}: compiles, and must not")
elseif(NOT said MATCHES "${MESSAGE_PATTERN}")
  message(FATAL_ERROR "${CASE}: refused, but not for \"${MESSAGE_PATTERN}\":\n${said}")
endif()
