// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/kept_trace.h"

#include "harness/cli/audit_file.h"
#include "harness/cli/output_file.h"

namespace assay::cli {
namespace {

bool holds_a_window(const std::string& path) {
  const auto report = audit_file(path);
  return report && report->window_count > 0;
}

}  // namespace

error end_of_trace(error why, const std::string& path, bool was_named) {
  const bool was_stopped = why.kind == error_kind::interrupted;
  if (why.kind == error_kind::io) return why;
  const bool is_worth_keeping = was_stopped || holds_a_window(path);
  if (is_worth_keeping)
    why.message += was_named ? "; " + path + " holds what came before it: assay audit " + path
                             : "; name --out-trace to keep what was recorded";
  else if (was_named)
    remove_regular(path);
  return why;
}

}  // namespace assay::cli
