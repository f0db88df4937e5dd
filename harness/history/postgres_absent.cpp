// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/history/postgres_database.h"

namespace assay::history {

result<std::unique_ptr<database>> open_postgres(const std::string&) {
  return ASSAY_FAIL(unavailable,
                    "--history: this build cannot reach PostgreSQL; install libpq-dev and build "
                    "again, or name a file");
}

}  // namespace assay::history
