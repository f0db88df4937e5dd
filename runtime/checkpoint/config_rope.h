// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The rotary embedding that a config declares, by the newer key or the older ones.
#pragma once

#include <filesystem>

#include <nlohmann/json.hpp>

#include "runtime/checkpoint/model_config.h"
#include "runtime/telemetry/result.h"

namespace assay::checkpoint {

/// Sets theta and scaling. `rope_parameters` (transformers 5), `rope_scaling` and `rope_theta`
/// (before) are all looked at: each that is there must agree.
/// Errors: unusable_input: no theta, two thetas, two types, a rope type other than "default" and
/// "llama3", a parameter that the type lacks, or one that it does not have.
result<void> read_rope(const nlohmann::json& root, const std::filesystem::path& file,
                       model_config& config);

}  // namespace assay::checkpoint
