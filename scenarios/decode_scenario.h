// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What a decode run is made of: prompts, how much to generate, and answers known beforehand.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "runtime/telemetry/result.h"

namespace assay::scenarios {

/// One request of a scenario.
struct scenario_request {
  std::string prompt;
  /// How many ids another implementation's tokenizer made of the prompt, where that is on record.
  std::optional<std::int64_t> oracle_prompt_tokens;
};

struct decode_scenario {
  std::string name;
  std::vector<scenario_request> requests;
  std::uint32_t max_new_tokens = 0;
  bool stops_at_eos = true;  ///< else each request runs to its full length
  /// The first prompt's pages are kept for those after it, where the device can.
  bool keeps_first_prompt = false;
};

/// The default audit: the prompts on record beside the embedded checkpoint, 64 tokens each.
/// Errors: io or unusable_input, where reference.json is missing or not what it should be.
result<decode_scenario> embedded_scenario(const std::filesystem::path& checkpoint);

/// One request with a prompt from outside; no answer is known beforehand.
decode_scenario single_prompt(std::string prompt, std::uint32_t max_new_tokens);

}  // namespace assay::scenarios
