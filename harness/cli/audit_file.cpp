// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/audit_file.h"

#include "harness/audit/auditor.h"
#include "probes/trace/pump.h"
#include "probes/trace/trace_reader.h"

namespace assay::cli {
namespace {

// The auditor sees no file, so its complaints name none.
error named(error complaint, const std::string& path) {
  if (complaint.message.find(path) == std::string::npos)
    complaint.message = path + ": " + complaint.message;
  return complaint;
}

}  // namespace

result<model::audit_report> audit_file(const std::string& path) {
  ASSAY_TRY_ASSIGN(trace::trace_reader reader, trace::trace_reader::open(path));
  audit::auditor auditor;
  if (auto fed = trace::pump(reader, auditor); !fed)
    return failure(named(std::move(fed).error(), path));
  if (reader.block_count() == 0 && !reader.is_complete())
    return ASSAY_FAIL(interrupted, path + ": " + reader.incompleteness() +
                                       ", so it holds nothing to judge; record it again");
  auto report = auditor.finish(reader.incompleteness());
  if (!report) return failure(named(std::move(report).error(), path));
  return report;
}

}  // namespace assay::cli
