// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Contracts to JSON and back; docs/trace-format.md publishes the shape.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "probes/trace/contract_row.h"
#include "runtime/telemetry/result.h"

namespace assay::trace {

/// What a snapshot of readings can hold in one block.
inline constexpr std::size_t contract_max_rows = 65'535;

contract_row to_row(const telemetry::counter_contract& contract);

/// The runtime's own catalog as it holds on a device, in its order.
std::vector<contract_row> catalog_rows(telemetry::device_class on = telemetry::device_class::host);

std::string to_json(std::span<const contract_row> rows);

/// Parses and checks a CONTRACT block. The order of the rows is that of the readings in a snapshot.
/// Errors: unusable_input, naming the counter, the field and what would be right.
result<std::vector<contract_row>> parse_contract(std::string_view json);

}  // namespace assay::trace
