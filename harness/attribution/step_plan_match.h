// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Whether the launches of a step are those that a plan has. Pure.
#pragma once

#include <cstddef>
#include <vector>

#include "harness/attribution/call_join.h"
#include "runtime/telemetry/planned_launch.h"

namespace assay::attribution {

/// A launch of the open step, until its end says whose it is.
struct held_launch {
  joined_activity work;
  std::size_t piece = 0;  ///< its place among the step's pieces
};

/// As many, and each of those that tell what they read tells what the plan says, in its place. A
/// plan of another model or device does not name these: a wrong name is worse than none. Where no
/// launch of the step tells what it read, as on a GPU, the number alone decides.
bool is_as_planned(const std::vector<held_launch>& step,
                   const std::vector<telemetry::planned_launch>& plan);

}  // namespace assay::attribution
