// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Sizes on the command line carry a unit.
#pragma once

#include <cstdint>
#include <string_view>

#include "runtime/telemetry/result.h"

namespace assay::cli {

/// The value of `flag`: "512MiB", "6GiB", "1000B", "2GB" → bytes. Binary and decimal units are told
/// apart. Errors: usage, naming the flag, where the number or the unit is missing, or the product
/// does not fit.
result<std::uint64_t> parse_bytes(std::string_view flag, std::string_view text);

}  // namespace assay::cli
