// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// How far a model with a planted defect is from the reference.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "tests/engine/running_engine.h"

namespace assay::engine_test {

/// Of max |logit|: reference_test.cpp holds the honest model to it.
inline constexpr double logit_tolerance = 1e-4;

using alteration = std::function<void(engine::resident_model&)>;

/// The relative difference of the last logits, where `alter` has been at the model. `ids` and
/// `logits` name tensors of the folder's reference.
double difference_with(const std::filesystem::path& folder, const std::string& ids,
                       const std::string& logits, const alteration& alter);

/// The same for a fixture of random weights.
double tiny_difference(const std::string& name, const alteration& alter);

}  // namespace assay::engine_test
