// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The rotary embedding that a config declares, by the newer key or the older ones.
#pragma once

#include <filesystem>

#include <nlohmann/json.hpp>

#include "runtime/telemetry/result.h"

namespace assay::checkpoint {

/// The theta of plain rotary embedding. `rope_parameters` (transformers 5), `rope_scaling` and
/// `rope_theta` (before) are all looked at: each that is there must agree.
/// Errors: unusable_input: no theta, two thetas, a rope type other than "default", an unknown
/// parameter.
result<double> read_rope_theta(const nlohmann::json& config, const std::filesystem::path& file);

}  // namespace assay::checkpoint
