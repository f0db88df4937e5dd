// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/exit_code.h"

#include <cstdio>
#include <string>

#include "reports/wording/audit_words.h"

namespace assay::cli {

exit_code report_failure(const error& failure) {
  std::string line = failure.message;
  // A file name may hold a newline; the promise is one line.
  for (char& c : line)
    if (static_cast<unsigned char>(c) < 0x20) c = '?';
  std::fprintf(stderr, "assay: %s\n", reports::one_line(line).c_str());
  return exit_code_of(failure.kind);
}

}  // namespace assay::cli
