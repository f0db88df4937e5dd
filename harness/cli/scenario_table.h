// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What each registered scenario would move on a checkpoint, before anything runs.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "runtime/telemetry/result.h"
#include "scenarios/decode_scenario.h"
#include "scenarios/traffic.h"

namespace assay::cli {

/// Shapes of a scenario's requests, once their prompts are ids; each runs to its full length or to
/// the end of the context.
std::vector<scenarios::request_shape> shapes_of(
    const scenarios::decode_scenario& scenario,
    const std::vector<std::vector<std::int32_t>>& prompts, std::int64_t max_context_tokens);

/// One row a scenario under a row of headings; bytes as plain numbers. Reads the checkpoint's
/// header and its tokenizer, not its weights.
/// Errors: as the readers of both.
result<std::vector<std::vector<std::string>>> scenario_table(
    const std::filesystem::path& checkpoint, std::int64_t page_tokens);

}  // namespace assay::cli
