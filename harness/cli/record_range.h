// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The number that a trace's record has for a range.
#pragma once

#include <cstdint>

#include "runtime/telemetry/range.h"

namespace assay::cli {

constexpr std::uint16_t record_range(telemetry::range range) {
  return static_cast<std::uint16_t>(range);
}

}  // namespace assay::cli
