// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// A history in one file.
#pragma once

#include <memory>
#include <string>

#include "harness/history/database.h"

namespace assay::history {

enum class access { write, read };

/// Write-ahead log: readers and one writer at a time; a writer waits up to a minute for its turn.
result<std::unique_ptr<database>> open_sqlite(const std::string& path, access wanted);

}  // namespace assay::history
