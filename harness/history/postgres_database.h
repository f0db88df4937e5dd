// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// A history on a server, for a fleet of runners.
#pragma once

#include <memory>
#include <string>

#include "harness/history/database.h"

namespace assay::history {

bool is_postgres_url(const std::string& where);

/// Errors: unavailable where this build or this machine has no client library, io where no server
/// answers. The password of the URL is in no message.
result<std::unique_ptr<database>> open_postgres(const std::string& url);

}  // namespace assay::history
