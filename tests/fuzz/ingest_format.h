// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Which format a fuzz target of harness/ingest is for: defined by the build, once a target.
#pragma once

#include <string_view>

namespace assay::fuzz {

extern const std::string_view format_name;

}  // namespace assay::fuzz
