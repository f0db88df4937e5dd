// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The contract of assay guard: docs/schema/guard-contract.schema.json.
#pragma once

#include <string>
#include <string_view>

#include "reports/model/guard_contract.h"
#include "runtime/telemetry/result.h"

namespace assay::ingest {

/// Strict: a key that is unknown or there twice, a word that is none of the schema's and a sum that
/// cannot be read are refused with file, line and path. What the parts say of one another is not
/// looked at here (harness/guard/contradictions.h). Errors: unusable_input. Pure.
result<model::guard_contract> parse_guard_contract(std::string_view text, std::string_view file);

/// The same, from the disk.
result<model::guard_contract> read_guard_contract(const std::string& path);

}  // namespace assay::ingest
