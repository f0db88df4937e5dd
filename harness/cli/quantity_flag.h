// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Sizes, durations and shares on the command line carry a unit.
#pragma once

#include <cstdint>
#include <string_view>

#include "runtime/telemetry/result.h"

namespace assay::cli {

/// The value of `flag`: "512MiB", "6GiB", "1000B", "2GB" → bytes. Binary and decimal units are told
/// apart. Errors: usage, naming the flag, where the number or the unit is missing, or the product
/// does not fit.
result<std::uint64_t> parse_bytes(std::string_view flag, std::string_view text);

/// The same, above 0: where 0 means that there is no limit, nobody is to ask for it by mistake.
result<std::uint64_t> parse_limit_bytes(std::string_view flag, std::string_view text);

/// "500ms", "30s", "8m", "1h", "250us", "10ns" → ns, above 0. Errors: usage, naming the flag.
result<std::int64_t> parse_duration_ns(std::string_view flag, std::string_view text);

/// "2%", "0.5%" → 0.02, 0.005; from 0 to 1000 %. Errors: usage, naming the flag, also where the
/// per cent sign is missing: 0.02 could be meant either way.
result<double> parse_percent(std::string_view flag, std::string_view text);

}  // namespace assay::cli
