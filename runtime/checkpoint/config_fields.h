// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Single fields of a JSON object, read with their errors. Shared by the readers of config.json and
// generation_config.json.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "runtime/telemetry/result.h"

namespace assay::checkpoint {

/// Where a field stands, for its errors.
struct field_place {
  const std::filesystem::path& file;
  std::string name;
};

/// The value of `key`, or null where it is absent: transformers writes null for what is not set.
const nlohmann::json& field_or_null(const nlohmann::json& object, std::string_view key);

/// Errors: unusable_input: not a whole number, or outside of 1..at_most.
result<std::uint32_t> read_count(const nlohmann::json& value, const field_place& place,
                                 std::uint32_t at_most);

/// Errors: unusable_input: not a number, or not within (0, below).
result<double> read_positive(const nlohmann::json& value, const field_place& place, double below);

/// Null is no id, a number one, a list any number of them.
/// Errors: unusable_input: anything else, or an id that the vocabulary does not have.
result<std::vector<std::int32_t>> read_token_ids(const nlohmann::json& value,
                                                 const field_place& place,
                                                 std::uint32_t vocab_rows);

/// Errors: unusable_input, where the value is not `accepted`.
result<void> require_value(const nlohmann::json& value, const field_place& place,
                           const nlohmann::json& accepted);

}  // namespace assay::checkpoint
