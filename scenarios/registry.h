// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The scenarios that have a name: what each is there to show, and how it is cut to a checkpoint.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "runtime/telemetry/result.h"
#include "scenarios/decode_scenario.h"

namespace assay::scenarios {

/// A row of the registry. Lengths are for a checkpoint that has room for them.
struct registered_scenario {
  std::string_view name;   ///< kebab-case, as on the command line
  std::string_view shows;  ///< which counters it stretches
  std::uint32_t requests_count = 0;
  std::uint32_t prompt_bytes = 0;  ///< of text; a token is one byte or more
  std::uint32_t new_tokens = 0;
  /// Of each prompt, in common with all others; the first is kept for the others to begin with.
  std::uint32_t common_bytes = 0;
};

/// In the order in which they are listed.
std::span<const registered_scenario> registry();

/// Errors: usage, for a name that nobody registered; it lists those that are.
result<registered_scenario> find_scenario(std::string_view name);

/// The scenario for a checkpoint of that context. Prompts are never longer than half of the context
/// and generations than a third, so that every scenario runs on every checkpoint: its text and its
/// lengths follow from the name and the context alone. Requests run to their full length whatever
/// the model says: a run that may stop early has no expected bytes.
/// Errors: unusable_input, where the context is too short for a decode step.
result<decode_scenario> cut_to_context(const registered_scenario& wanted,
                                       std::int64_t max_context_tokens);

}  // namespace assay::scenarios
