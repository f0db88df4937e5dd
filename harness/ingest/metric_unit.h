// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What the tools write as a unit, as one of ours.
#pragma once

#include <optional>
#include <string_view>

#include "reports/model/sample_set.h"

namespace assay::ingest {

struct metric_unit {
  std::string_view written;  ///< "ms/op"
  std::string_view base;     ///< "ns"
  double factor = 1.0;       ///< value × factor is in `base`
  model::direction better = model::direction::unknown;
};

/// None where the text is no unit that is known: the value then stays as it is, and which way is
/// better is unknown.
std::optional<metric_unit> known_unit(std::string_view written);

/// Units of which a value of 0 or less is no measurement.
bool is_always_positive(std::string_view base_unit);

}  // namespace assay::ingest
