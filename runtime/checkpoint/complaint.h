// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// How this room words its errors: one line that names file, field, fault and fix.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace assay::checkpoint {

/// Foreign text made fit for one line of UTF-8: control characters, and bytes that are not UTF-8,
/// become \xNN; what exceeds `limit_bytes` becomes "...".
/// A tensor may be called "a\nb": printed as it is, one error would look like two.
std::string printable(std::string_view text, std::size_t limit_bytes = 160);

/// `FILE: FIELD: fault; fix`. An empty field is left out, with its colon.
std::string complaint(const std::filesystem::path& file, std::string_view field,
                      std::string_view fault, std::string_view fix);

}  // namespace assay::checkpoint
