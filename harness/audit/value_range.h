// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What a counter's reading can be at all, whatever anybody else says.
#pragma once

#include <cstdint>
#include <string>

#include "harness/audit/counter_spec.h"

namespace assay::audit {

enum class range_fault : std::uint8_t {
  none,
  not_finite,  ///< NaN or an infinity
  sentinel,    ///< a value that stands for "no value": -1 of a level, or the ends of an int64
  below,       ///< below the least that its unit or its contract allows
  above,       ///< above the most
};

/// The fault of a reading's bits; none where it may be a measurement. Implied limits: a ratio lies
/// in 0..1, a rate is not below 0. Negative counts and times are not judged here: going back is a
/// rule of its own. A 32-bit all-ones is a possible amount, and passes.
range_fault fault_of(const counter_spec& spec, std::int64_t bits);

/// "is not a finite number", "lies above 1, the most that it can be".
std::string fault_words(range_fault fault, const counter_spec& spec);

}  // namespace assay::audit
