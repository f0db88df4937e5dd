// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// A short audited run on an executor that may be broken, and what its audit must not say.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/cli/audited_run.h"
#include "reports/model/audit_report.h"
#include "runtime/telemetry/catalog.h"
#include "tests/device/faulty_executor.h"
#include "tests/selftest/memory_trace.h"

namespace assay::selftest_test {

/// Two requests of twelve tokens on the embedded checkpoint.
cli::run_options short_run();

struct faulty_run {
  std::optional<std::string> failure;  ///< the run's own error: nothing was audited then
  device::fault_count count;
  std::shared_ptr<memory_trace> trace;
  model::audit_report report;
};

/// The run goes to an auditor as it happens, and is kept as a trace.
faulty_run run_with(const device::fault_plan& plan);

/// Does the counter's claim take in the operations that the plan strikes?
bool is_claimed(const telemetry::counter_contract& counter, const device::fault_plan& plan);

/// Counters that claim no device work and are judged by what the harness sums up over device
/// records of the range, beside the sum of all operations.
std::vector<telemetry::counter_id> derived_from(telemetry::range range);

/// Everything that rests on what the plan strikes: by claim, by bracket, or, where the fault
/// changes amounts, through a sum.
std::vector<telemetry::counter_id> touched_by(const device::fault_plan& plan);

const model::counter_line& line_of(const model::audit_report& report, telemetry::counter_id id);
std::string_view name_of(telemetry::counter_id id);
device::range_label label(telemetry::range range);

}  // namespace assay::selftest_test
