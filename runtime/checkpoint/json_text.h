// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// JSON from outside, read with bounds: depth, number of values, no key twice.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "runtime/telemetry/result.h"

namespace assay::checkpoint {

/// What a text may cost before it is refused: a value takes 100 bytes of tree or so, from as little
/// as 2 of text, and copying, comparing or printing a tree recurses by its depth.
struct json_limits {
  std::size_t depth = 32;
  std::size_t values = std::size_t{1} << 20;
};

/// Parses `text`. In errors `file` names it, and `part` the section of the file that it is, if it
/// is not the whole. Errors: unusable_input: not JSON (with the line), not UTF-8, a key that stands
/// twice in one object (parsers disagree on which one counts), a limit exceeded.
result<nlohmann::json> parse_json(std::string_view text, const std::filesystem::path& file,
                                  json_limits limits = {}, std::string_view part = {});

/// A value as an error message shows it: on one line, cut after 60 bytes.
std::string shown(const nlohmann::json& value);

}  // namespace assay::checkpoint
