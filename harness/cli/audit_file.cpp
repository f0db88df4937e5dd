// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/audit_file.h"

#include "harness/audit/auditor.h"
#include "probes/trace/pump.h"
#include "probes/trace/trace_reader.h"

namespace assay::cli {

result<model::audit_report> audit_file(const std::string& path) {
  ASSAY_TRY_ASSIGN(trace::trace_reader reader, trace::trace_reader::open(path));
  audit::auditor auditor;
  ASSAY_TRY(trace::pump(reader, auditor));
  return auditor.finish(reader.incompleteness());
}

}  // namespace assay::cli
