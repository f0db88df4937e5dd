// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The catalog as types: an identifier for every counter, and its contract.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "runtime/telemetry/contract.h"

namespace assay::telemetry {

/// One enumerator a row of catalog.def, in its order; the value is the row's index.
enum class counter_id : std::uint16_t {
#define ASSAY_COUNTER(identifier, ...) identifier,
#include "runtime/telemetry/catalog.def"
#undef ASSAY_COUNTER
};

inline constexpr int counter_total = 0
#define ASSAY_COUNTER(identifier, ...) +1
#include "runtime/telemetry/catalog.def"
#undef ASSAY_COUNTER
    ;

/// Every contract, indexed by counter_id. On a GPU the links are others, and what no driver's
/// record tells is claimed from nobody: catalog_cuda.def has the differences.
std::span<const counter_contract> catalog(device_class on = device_class::host);

const counter_contract& contract_of(counter_id id, device_class on = device_class::host);

/// The counter of that name, if the catalog has it.
std::optional<counter_id> find_counter(std::string_view name);

std::string_view to_string(device_class on);
std::string_view to_string(counter_kind kind);
std::string_view to_string(clock_domain clock);
std::string_view to_string(host_blocking blocking);
std::string_view to_string(reset_scope reset);
std::string_view to_string(activity kind);
std::string_view to_string(direction dir);
std::string_view to_string(measure m);
std::string_view to_string(link_class link);

}  // namespace assay::telemetry
