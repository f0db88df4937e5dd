// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Numbers for people. JSON keeps base units; these words are for tables and sentences only.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "reports/model/audit_report.h"

namespace assay::reports {

/// 1234567 → "1,234,567".
std::string with_separators(std::int64_t value);
std::string with_separators(std::uint64_t value);

/// Four significant digits in ns, µs, ms or s: 1234567 → "1.235 ms". Whole below 1 µs.
std::string duration_words(std::int64_t ns);

/// Exact, and in KiB, MiB or GiB where that is shorter to grasp: "7,340,032 B (7.000 MiB)".
std::string capacity_words(std::int64_t bytes);

/// Decimal: 12.34e9 → "12.34 GB/s".
std::string bandwidth_words(double bytes_per_s);

/// Decimal: 12.34e9 → "12.34 GFLOP/s".
std::string operation_rate_words(double operations_per_s);

/// A quantity in the unit that a contract spells, e.g. "ns". `kind` decides how bytes read: a level
/// (gauge, peak) is a capacity, anything else is exact alone. A unit that is not ours is printed
/// behind the number as it stands. Where there is no number: the reason, never 0.
std::string quantity_words(const model::quantity& quantity, std::string_view unit,
                           std::string_view kind);

/// Why there is no number; never empty, so that an absence cannot look like a blank.
std::string absence_words(const model::quantity& quantity);

/// A number that may be printed: present, and finite where it is real.
bool is_printable(const model::quantity& quantity);

}  // namespace assay::reports
