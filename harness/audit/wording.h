// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Figures and names as the findings' sentences print them.
#pragma once

#include <cstdint>
#include <string>

#include "harness/audit/counter_spec.h"
#include "harness/audit/number.h"
#include "reports/model/audit_report.h"

namespace assay::audit {

/// "812.0 us", "4.13 ms", "12 ns".
std::string time_words(double ns);
/// "11.62 GB/s".
std::string rate_words(double bytes_per_s);
/// A value with its unit: bytes and counts exactly, times and rates rounded.
std::string value_words(const number& value, assay::unit unit);

/// "device records", "ledger", …
std::string source_name(int source);
/// "equal", "near", "at most", "at least"
std::string relation_name(int relation);
std::string link_name(telemetry::link_class link);

model::quantity quantity_of(const number& value);
model::quantity quantity_of_time(double ns);
model::quantity absent(std::string why);

}  // namespace assay::audit
