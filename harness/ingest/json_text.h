// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// JSON as benchmark tools write it: now and then with bare NaN and Infinity in it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "runtime/telemetry/result.h"

namespace assay::ingest {

/// The text with each bare NaN, Infinity, -NaN, -Infinity outside of strings made a string of the
/// same length, so that places in the text stay true. Each holds a DEL, so that no text is taken
/// for one; number_in() knows them. None where there is none of them.
std::optional<std::string> with_quoted_non_finite(std::string_view text);

/// A number as tools write it: a number, or one of those strings, or "NaN", "+INF", "1.5e3". None
/// for anything else. The number may be non-finite.
std::optional<double> number_in(const nlohmann::json& value);
std::optional<double> number_in(std::string_view text);

/// The whole text as a tree. Errors: unusable_input, naming `file` and the byte; also where it is
/// nested deeper than 64. `fix` is the advice: what should be given instead. Linear in the text.
result<nlohmann::json> parse_json(std::string_view text, std::string_view file,
                                  std::string_view fix = "have the tool write it again");

/// "is truncated at byte 123", "is no JSON at byte 7": what the library's message comes to.
std::string syntax_complaint(std::size_t byte, std::string_view text);

}  // namespace assay::ingest
