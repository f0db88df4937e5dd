// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The weights that a step asks for, operator by operator, in the order of their launch.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "runtime/checkpoint/model_config.h"
#include "runtime/checkpoint/weight_files.h"
#include "runtime/memory/placement.h"
#include "runtime/ops/weight.h"
#include "runtime/telemetry/result.h"

namespace assay::engine {

struct resident_model;

struct scheduled_weight {
  std::string name;
  std::span<const std::byte> content;  ///< in the mapping of its file
};

/// Each weight once. The embedding is among them only where it is the head: its rows are gathered
/// on the host, and a row is no lookup. On a device's executor attention has no weights, and where
/// an architecture norms no heads the rotation has none: such operators are not listed.
struct weight_schedule {
  std::vector<scheduled_weight> weights;
  std::vector<memory::operator_weights> operators;  ///< indices into `weights`

  std::uint64_t step_bytes() const;                 ///< of all weights: what one step reads
  std::vector<std::uint64_t> placed_bytes() const;  ///< by weight, as a grant rounds it up
};

/// Needs the headers alone. Errors: unusable_input, where the files lack a weight of the config.
result<weight_schedule> schedule_of(const checkpoint::model_config& config,
                                    const checkpoint::weight_files& files);

/// Where the model keeps each weight of the schedule, in its order. Valid as long as the model is
/// not moved.
std::vector<ops::weight*> slots_of(resident_model& model);

}  // namespace assay::engine
