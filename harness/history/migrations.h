// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The tables of a history, and the way to them from what an older Assay left.
#pragma once

#include <cstdint>

#include "harness/history/database.h"

namespace assay::history {

/// What this Assay writes.
std::int64_t newest_version();

/// 0 where the database holds no history yet.
result<std::int64_t> version_of(database& in);

/// Whether this Assay can read such a database: not an empty one, an older or a newer one.
result<void> check_readable(std::int64_t version);

/// Takes the database to `to`, step by step in one transaction: all or nothing. Two processes may
/// do it at once. Errors: unusable_input where it is newer than this Assay.
result<void> migrate(database& in, std::int64_t to = newest_version());

}  // namespace assay::history
