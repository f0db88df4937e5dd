// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What a metric's name says of its unit.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace assay::guard {

/// Whether a contract may use that word for a unit.
bool is_known_unit(std::string_view unit);

/// Whether the unit is an amount of something: below zero there is none.
bool is_amount(std::string_view unit);

/// A unit by any word that stands for it, as a contract spells it: "milliseconds" of "ms". None
/// where the word is none.
std::optional<std::string> unit_of_word(std::string_view word);

/// The unit that the end of a name says, as a contract spells it: "seconds" of
/// request_latency_seconds_total and of request_latency_seconds_p99, "bytes_per_second" of
/// rx_bytes_per_second. None where the name says none, or says that it is a count. The case of
/// letters does not matter.
std::optional<std::string> unit_in_name(std::string_view name);

/// The one unit of times, bytes, power, energy or frequency that stands anywhere in a name:
/// "bytes" of heap_bytes_inuse, "nanoseconds" of grants_ns. None where there are two, or one that
/// something is divided by. It says less than the end of a name does: only where the unit that is
/// promised is of the same dimension do the two contradict each other.
std::optional<std::string> unit_within(std::string_view name);

/// Whether both measure the same thing: two times, two amounts of data.
bool is_same_dimension(std::string_view one, std::string_view other);

/// ASCII letters without their case.
std::string lower(std::string_view text);

/// A name without what a format appends: _total, _bucket, _sum, _count, _created, _info, …
std::string_view without_suffix(std::string_view name);

}  // namespace assay::guard
