// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What a trace may say of the machine's state, by name and unit.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "probes/trace/assay_trace.h"

namespace assay::trace {

enum class condition_kind : std::uint8_t {
  level,  ///< as it is now
  total,  ///< gained since somebody began to count: only its growth says something
  bits,   ///< a set
};

struct condition_row {
  assay_condition id;
  std::string_view name;
  std::string_view unit;  ///< hz, ns, bytes, count, milli, celsius, milliwatt, bits
  condition_kind kind;
  bool is_of_gpu;
};

/// Every condition that the format knows, in the order in which a report shows them.
std::span<const condition_row> condition_rows();

/// The row of a record's `op`; nothing where a later format wrote it, or nobody.
std::optional<std::size_t> condition_index(std::uint8_t op);
/// The row of a name, as facts give it.
std::optional<std::size_t> condition_index(std::string_view name);

/// A sample as a record.
assay_record condition_record(assay_condition id, std::int64_t at_ns, std::int64_t amount);

/// What holds a GPU's clocks down, in words; "nothing" for 0. "idle" is one of them.
std::string clock_event_words(std::uint64_t bits);
/// Those bits that a busy GPU at its full clocks may show as well: idle between two pieces of work,
/// and clocks that somebody asked for.
inline constexpr std::uint64_t harmless_clock_events = 0x3;

}  // namespace assay::trace
